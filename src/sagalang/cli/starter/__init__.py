"""The files of a new project, as `saga new` copies them."""
