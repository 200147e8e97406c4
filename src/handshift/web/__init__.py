"""The workbench: a local web server for cases, pages and their hands."""
