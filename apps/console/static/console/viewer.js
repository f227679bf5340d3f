// A picture that can be turned: <part-view src="..."> of one part, <plate-view src="..."> of a
// packed run. The picture is there first, and stays where the browser has no WebGL. What is needed
// for three dimensions comes when somebody asks for it; one is open at a time.

const STEP = Math.PI / 12, PIXEL = 0.008; // radians a key, and a pixel
const NEARER = 0.8;
const LOSSES = 2, MINUTE = 60_000; // how often a context may be lost
const PATIENCE = 3000; // ms for a frame; the first one has twice that, for its shaders are made
const SIDES = {
  front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, 0, 1], bottom: [0, 0, -1],
  whole: [-0.55, -0.75, 0.52],
};
const KEYS = {
  ArrowLeft: stage => stage.turn(-STEP, 0), ArrowRight: stage => stage.turn(STEP, 0),
  ArrowUp: stage => stage.turn(0, STEP), ArrowDown: stage => stage.turn(0, -STEP),
  "+": stage => stage.zoom(NEARER), "=": stage => stage.zoom(NEARER), "-": stage => stage.zoom(1 / NEARER),
  0: stage => stage.look(SIDES.whole),
};

let open = null;

// What may still be made: asked for again as the answer says.
export async function brought(address, options = {}) {
  for (;;) {
    const answer = await fetch(address, options);
    if (answer.status !== 202) {
      if (!answer.ok) throw new Error(`${address} is ${answer.status}`);
      return answer;
    }
    await new Promise(done => setTimeout(done, 1000 * (answer.headers.get("Retry-After") || 1)));
  }
}

export class SolidView extends HTMLElement {
  stage = null;
  #losses = [];

  connectedCallback() {
    const shut = this.querySelector("template[data-shut]");
    if (!shut || this.querySelector("[data-open]")) return;
    this.append(shut.content.cloneNode(true));
    this.addEventListener("click", event => this.#clicked(event.target.closest("button")));
  }

  disconnectedCallback() { this.shut(); }

  find(what) { return this.querySelector(what); }

  #clicked(button) {
    if (!button) return;
    const { open, close, look, zoom } = button.dataset;
    if (open !== undefined) this.open();
    else if (close !== undefined) { this.shut(); this.find("[data-open]").focus(); }
    else if (look) this.stage?.look(SIDES[look]);
    else if (zoom) this.stage?.zoom(zoom === "in" ? NEARER : 1 / NEARER);
    else this.choose(button);
  }

  choose() {}

  async open() {
    this.show("opened");
    const canvas = this.find("canvas");
    canvas.focus();
    this.say("loading");
    try {
      const context = canvas.getContext("webgl2", { alpha: true, antialias: false });
      if (!context) return await this.instead("without");
      const [{ Stage }, seen] = await Promise.all([import("./stage.js"), this.load()]);
      if (open !== this) return;
      this.stage = new Stage(canvas, context, {
        ...seen, onpaint: atRest => this.painted(atRest), ontimed: (took, isFirst) => this.timed(took, isFirst),
      });
      this.#follow(canvas);
      this.say("");
    } catch {
      this.shut("failed");
    }
  }

  // Puts one of the page's templates in place of the picture.
  show(name) {
    open?.shut();
    open = this;
    this.append(this.find(`template[data-${name}]`).content.cloneNode(true));
    this.setAttribute("open", "");
  }

  // What is there where nothing can be drawn.
  async instead(why) { this.shut(why); }

  // What `Stage` shows; told by those who come of this.
  async load() { throw new Error("nothing to show"); }

  painted() {}

  // Nobody turns what takes so long; the page may have another patience, ms.
  timed(took, isFirst) {
    const patience = this.getAttribute("patience") ?? PATIENCE;
    if (took > (isFirst ? 2 * patience : patience) && !this.stage.roughen()) this.instead("failed");
  }

  shut(why = "") {
    if (open !== this) return;
    open = null;
    this.stage?.close();
    this.stage = null;
    this.find("[data-stage]")?.remove();
    this.removeAttribute("open");
    if (this.isConnected) this.say(why);
  }

  // One of the sentences that the page has for it; "" for none.
  say(word) {
    const said = this.find("[data-said]");
    said.textContent = word ? said.dataset[word] : "";
  }

  #follow(canvas) {
    const pointers = new Map();
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y) || 1;
    };
    canvas.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      KEYS[event.key](this.stage);
    });
    let far = 0;
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
      far = 0;
    });
    canvas.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId);
      if (!before || !this.stage) return;
      const was = pointers.size > 1 ? spread() : 0;
      pointers.set(event.pointerId, event);
      const [x, y] = [event.x - before.x, event.y - before.y];
      far += Math.abs(x) + Math.abs(y);
      if (was) this.stage.zoom(was / spread());
      this.stage.turn(x * PIXEL, y * PIXEL);
    });
    canvas.addEventListener("pointerup", event => {
      if (far < 4 && pointers.size === 1) this.touched(event);
      pointers.delete(event.pointerId);
    });
    canvas.addEventListener("pointercancel", event => pointers.delete(event.pointerId));
    // The page is scrolled by the wheel until somebody has come to the canvas.
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      this.stage.zoom(event.deltaY < 0 ? NEARER : 1 / NEARER);
    }, { passive: false });
    canvas.addEventListener("webglcontextlost", () => {
      const now = performance.now();
      this.#losses = [...this.#losses.filter(then => now - then < MINUTE), now];
      if (this.stage && this.#losses.length > LOSSES) this.instead("failed");
    });
  }

  touched() {}
}

class PartView extends SolidView {
  async load() {
    const address = this.getAttribute("src");
    const [{ readMesh }, { geometryOf, material }, { Mesh }] = await Promise.all(
      [import("./glb.js"), import("./stage.js"), import("./vendor/three-0.187.0.part.js")]);
    const mesh = async (triangles = 50_000) => {
      const file = await (await brought(`${address}?triangles=${triangles}`)).arrayBuffer();
      const read = readMesh(file);
      return [new Mesh(geometryOf(read), material()), read];
    };
    const [fine, { places, corners }] = await mesh();
    if (corners.length > 3 * 10_000) this.#coarser = () => mesh(10_000);
    return { fine, points: places };
  }

  #coarser = null;

  // The pins follow what they are put into; those behind it are dimmed when it rests.
  painted(atRest) {
    if (this.#coarser && this.stage.isSlow) {
      const [coarser, stage] = [this.#coarser, this.stage];
      this.#coarser = null;
      coarser().then(([coarse]) => stage.addCoarse(coarse), () => {});
    }
    for (const pin of this.querySelectorAll("[data-at]")) {
      const place = pin.dataset.at.split(",").map(Number), [x, y] = this.stage.project(place);
      pin.style.translate = `${x}px ${y}px`;
      pin.hidden = x < 0 || y < 0 || x > this.stage.canvas.clientWidth || y > this.stage.canvas.clientHeight;
      if (atRest) pin.classList.toggle("behind", !this.stage.sees(place));
    }
  }

  // Pictures round the part, which the platform draws.
  async instead(why) {
    this.shut();
    this.say("loading");
    let pictures;
    try {
      ({ pictures } = await (await brought(this.getAttribute("around"), { method: "POST" })).json());
    } catch {
      return this.say(why);
    }
    if (open || !this.isConnected) return;
    this.show("pictures");
    const there = this.find("[role=application]"), picture = there.querySelector("img");
    let side = 0;
    this.round = steps => {
      side = (side + steps + pictures.length) % pictures.length;
      picture.src = pictures[side];
      const words = { n: side + 1, all: pictures.length };
      there.setAttribute("aria-label", there.dataset.words.replace(/\{(n|all)\}/g, (_, word) => words[word]));
    };
    there.addEventListener("keydown", event => {
      const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!steps || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.round(steps);
    });
    this.round(0);
    there.focus();
    this.say("around");
  }

  // A pin, or its line below the canvas: either shows the other.
  choose({ dataset: { mark, round } }) {
    if (round) this.round(Number(round));
    if (!mark || !this.stage) return;
    for (const button of this.querySelectorAll("[data-mark]")) {
      button.setAttribute("aria-pressed", button.dataset.mark === mark);
    }
    const pin = this.find(`[data-at][data-mark="${mark}"]`);
    this.stage.lookAt(pin.dataset.at.split(",").map(Number));
  }
}

customElements.define("part-view", PartView);
