"""Word images as the network reads them, cut from pages and cached on disk."""
