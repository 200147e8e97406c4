"""Word crops as the network takes them: cut from files, cached on disk, downscaled for studies."""
