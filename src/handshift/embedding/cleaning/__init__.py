"""Label cleaning by sub-center ArcFace: find mislabelled pictures, show them, drop them, train again."""
