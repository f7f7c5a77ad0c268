// Talks as they go on: turns and pieces of answers come as events, what is said goes without leaving the page.
const talk = document.querySelector("[data-talk]");
const hall = document.querySelector("[data-hall]");
const byId = (id) => document.getElementById(id);

function follow(path, handlers) {
  let source = null;
  const open = () => {
    source = new EventSource(path());
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data), () => source.close()));
    }
    source.onerror = () => {
      source.close();  // streams end by themselves; the next one begins after what was seen
      setTimeout(open, 500);
    };
  };
  open();
  addEventListener("pagehide", () => source.close());
}

function talkOn() {
  let last = Number(talk.dataset.last);
  let asked = false;
  const live = byId("live");
  const text = byId("text");
  const form = text?.form;
  const towards = () => {
    const below = document.documentElement.scrollHeight - scrollY - innerHeight;
    if (below > 0) scrollTo({ top: document.documentElement.scrollHeight });
  };
  const set = (data) => {
    byId("status").textContent = data.status;
    if (!text) return;
    const had = text.disabled && data.due;
    text.disabled = byId("send").disabled = !data.due;
    byId("complete").hidden = !data.complete;
    byId("again").hidden = !data.trouble;
    if (data.trouble) live.hidden = true;
    if (had && (asked || document.activeElement === document.body)) text.focus();
  };
  follow(() => `${talk.dataset.talk}/events?after=${last}`, {
    turns(data) {
      live.hidden = true;
      live.querySelector(".words").textContent = "";
      const made = document.createElement("template");
      made.innerHTML = data.html;
      for (const turn of made.content.querySelectorAll("[data-position]")) {
        if (Number(turn.dataset.position) > last) byId("turns").append(turn);
      }
      last = Math.max(last, data.last);
      if (asked) towards();
    },
    piece(data) {
      if (!data.text) return;
      live.querySelector(".words").textContent = data.text;
      live.hidden = false;
      if (asked) towards();
    },
    state(data, close) {
      set(data);
      if (!data.open || (data.ready && !talk.dataset.ready)) {
        close();
        if (!data.open && !talk.dataset.open) return;
        location.reload();  // a talk that is ready, or over, is another page
      }
    },
  });
  if (!form) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (text.disabled) return;
    const body = new URLSearchParams(new FormData(form));
    body.set("form_nonce", crypto.getRandomValues(new Uint32Array(4)).join(""));
    text.disabled = byId("send").disabled = true;
    asked = true;
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    if (answer?.ok) {
      text.value = "";
    } else {
      text.disabled = byId("send").disabled = false;
      const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
      byId("status").textContent = page?.querySelector("main")?.innerText.trim() || "…";
    }
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}

if (talk && talk.dataset.open) talkOn();
if (hall) {
  const on = (path) => (data, close) => {
    close();
    location.assign(data.path ?? path);
  };
  follow(() => `${hall.dataset.hall}/events`, { talk: on(hall.dataset.hall), done: on(hall.dataset.hall) });
}
