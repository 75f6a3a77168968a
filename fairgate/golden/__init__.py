"""Reading and checking golden and decided files: what the person wrote is text."""
