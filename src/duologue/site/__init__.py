"""The site: pages and an API for people, above `arena`, which does everything that the site does.

How a part of it is added (an area: `people`, `campaigns`, ...):

* `pages/<area>.py` has `AREA = Area(...)`, listed in `pages/areas.py`: its routes, made by `route` (people who are
  signed in, of some roles) and `open_route` (everybody), and what stands in the navigation.
* A handler is `async def show(visit: Visit) -> Response`. It reads by `await visit.read(function, *arguments)`, which
  calls `function(connection, *arguments)` in a snapshot, and answers by `visit.page("<area>/show.html", rows=...)`.
* A handler of a form takes `form = await visit.form()`, which holds the form to its token and its limits, writes by
  `await visit.submit(form, action)`, which returns after the commit and does nothing the second time, and answers by
  `visit.redirect("/path", said="<area>.key")`. A `DuologueError` of the action becomes a page that says so.
* Templates `templates/<area>/*.html` extend `base.html` and use the macros of `parts.html`; what they say stands in
  `words/<area>.toml`, or in files of `words/<area>/`, and is had by `t("<area>.key", n=3)`. Scripts are modules of
  their own in `static`; nothing is inline, since the policy of all pages forbids it.
* `api/<area>.py` has `operations()`, listed in `api/areas.py`: the same over JSON, each an `Operation`, from which
  the OpenAPI document is made.
* `tests/site/examples.py` names a page for each route; browser tests walk all of them in both languages.
"""
