"""A frozen vision transformer looks at a map: what its middle blocks say of every patch."""
