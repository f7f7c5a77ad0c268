// Saving: soon after a change, one save at a time, the same nonce until an answer came, and never over a newer version.

const WAIT = 1200;
const IDLE = 60_000;

export class Store {
  constructor(given, marks, told) {
    this.given = given;
    this.marks = marks;
    this.told = told;
    this.version = given.version;
    this.saved = marks.items;
    this.timer = 0;
    this.busy = false;
    this.pending = null;
    this.active = 0;
    this.last = performance.now();
    for (const kind of ["keydown", "pointerdown", "wheel", "touchstart"]) {
      addEventListener(kind, () => this.work(), { passive: true, capture: true });
    }
    addEventListener("beforeunload", (event) => {
      if (this.marks.items !== this.saved) event.preventDefault();
    });
  }

  // Time counts while something happens at least once a minute.
  work() {
    const now = performance.now();
    if (now - this.last < IDLE) this.active += now - this.last;
    this.last = now;
  }

  changed() {
    this.told("unsaved", {});
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), WAIT);
  }

  async save({ done = false, over = null } = {}) {
    clearTimeout(this.timer);
    if (this.busy) { // a save that waits takes up what another that waits was asked for
      this.again = { done: done || Boolean(this.again?.done), over: over ?? this.again?.over ?? null };
      return;
    }
    this.busy = true;
    const items = this.marks.items;
    const spent = Math.round(this.active);
    const body = new URLSearchParams({
      ...this.given.token,
      form_nonce: crypto.randomUUID().replaceAll("-", ""),
      version: over ?? this.version,
      active: spent,
      items: JSON.stringify(items),
    });
    if (done) body.set("done", "1");
    this.told("saving", {});
    try {
      const answer = await this.send(body);
      const told = await answer.json().catch(() => null);
      if (!answer.ok || !told) throw new Error(String(answer.status));
      if (told.aside) {
        this.told("aside", told);
      } else {
        this.version = told.version;
        this.saved = items;
        this.active = Math.max(0, this.active - spent);
        this.told(done ? (told.done ? "done_now" : "not_done") : "saved", told);
      }
    } catch {
      this.told("refused", {});
    }
    this.busy = false;
    if (this.again) {
      const next = this.again;
      this.again = null;
      this.save(next);
    } else if (this.marks.items !== items) {
      this.changed();
    }
  }

  // Without an answer the very same form goes out again: it is done once.
  async send(body) {
    for (let pause = 500; ; pause *= 2) {
      try {
        return await fetch(this.given.path, { method: "POST", body, redirect: "error" });
      } catch (error) {
        if (pause > 30_000) throw error;
        this.told("unsaved", {});
        await new Promise((go) => setTimeout(go, pause));
      }
    }
  }
}
