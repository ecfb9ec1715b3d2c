"""Running code that works on strangers' texts in child processes, bounded from outside."""
