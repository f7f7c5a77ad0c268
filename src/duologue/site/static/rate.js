// Number keys choose in the first question that is open; Enter sends what is complete. Also: how long an item took.
const began = Date.now();
const ballot = document.querySelector("form.ballot");

if (ballot) {
  const questions = [...ballot.querySelectorAll("fieldset[data-keys]")];
  const answered = (one) => one.querySelector("input:checked") !== null;
  let at = questions.find((one) => !answered(one)) ?? questions[0];

  const mark = () => {
    for (const one of questions) one.classList.toggle("at", one === at);
  };
  mark();

  for (const one of questions) {
    one.addEventListener("focusin", () => { at = one; mark(); });
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, select, input:not([type=radio])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = at?.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
    if (chosen) {
      event.preventDefault();
      chosen.checked = true;
      at = questions[questions.indexOf(at) + 1] ?? at;
      mark();
      at.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.target.closest("a, button, summary")) {
      event.preventDefault();
      ballot.requestSubmit();
    }
  });
  ballot.addEventListener("submit", () => {
    ballot.elements.seconds.value = String(Math.min(86400, Math.round((Date.now() - began) / 1000)));
  });
}
