"""Graphs as pictures (PNG, SVG, PDF) and as pages for a browser; the layout of both."""
