// Replies that the server has not acknowledged. Each is a key of its own in the browser's storage, so
// they survive a lost connection and a closed page, and two pages cannot overwrite each other's. Each
// has an id that was made here: sent twice, it counts once.

const WAITS = [500, 1000, 2000, 5000, 15000]; // milliseconds before the next try

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  // `send` gets an item and returns "done", "later" or "never"; `changed` is called after each step.
  constructor(name, send, changed) {
    this.prefix = `askance:${name}:`;
    this.send = send;
    this.changed = changed;
    this.failures = 0;
    this.running = false;
    this.timer = 0;
    addEventListener("online", () => this.flush());
  }

  keys() {
    const found = [];
    for (let i = 0; i < localStorage.length; i += 1) {
      const key = localStorage.key(i);
      if (key.startsWith(this.prefix)) found.push(key);
    }
    return found.sort();
  }

  items() {
    return this.keys().map((key) => JSON.parse(localStorage.getItem(key)));
  }

  get isWaiting() {
    return this.failures > 0;
  }

  add(item) {
    // The counter keeps the order of replies within a millisecond, and when a clock is set back.
    const last = this.keys().at(-1);
    const time = Math.max(Date.now(), last ? Number(last.slice(this.prefix.length).split(":")[0]) + 1 : 0);
    localStorage.setItem(`${this.prefix}${String(time).padStart(15, "0")}:${item.id}`, JSON.stringify(item));
    this.changed();
    this.flush();
  }

  async flush() {
    if (this.running) return;
    this.running = true;
    clearTimeout(this.timer);
    try {
      for (let key = this.keys()[0]; key; key = this.keys()[0]) {
        const outcome = await this.send(JSON.parse(localStorage.getItem(key)));
        if (outcome === "later") {
          this.failures += 1;
          const wait = WAITS[Math.min(this.failures, WAITS.length) - 1];
          this.timer = setTimeout(() => this.flush(), wait);
          break;
        }
        this.failures = 0;
        localStorage.removeItem(key);
        this.changed();
      }
    } finally {
      this.running = false;
      this.changed();
    }
  }
}
