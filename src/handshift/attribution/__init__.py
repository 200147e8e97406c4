"""How many hands wrote, which words are whose, and where one hand follows another."""
