"""How the target class is made harder to reach: one file each."""
