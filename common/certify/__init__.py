"""Independent checks of finished results; shares no code with the learners."""
