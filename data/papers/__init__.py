"""The reruns of the papers."""
