"""The pictures of a study, each as SVG and PNG."""
