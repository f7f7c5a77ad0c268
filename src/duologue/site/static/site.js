// Times in the reader's own zone, and tables that scroll only where they are too wide.
const language = document.documentElement.lang;
const form = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-utc])")) {
    time.dataset.utc = time.textContent;
    time.title = time.textContent;
    time.textContent = form.format(new Date(time.dateTime));
  }
}

localise(document);
document.addEventListener("htmx:after:swap", () => localise(document));
