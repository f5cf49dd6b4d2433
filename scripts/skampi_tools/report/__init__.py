"""A report on result files as one HTML file: what it states (verdicts, sections) and how it looks
(page, with the template, style and program beside it)."""
