// The layers of a slice, one after another, in two dimensions: <layer-view src="...">. What was
// laid down below shows through. Drawn when something has changed.
import { PathsFile } from "./paths.js";

const NEARER = 0.8, STEP = 40; // pixels a key
const MARGIN = 0.05; // of the canvas
const PAUSE = 120; // ms from a layer to the next one
const TURN = 0.618; // of the circle of colours, from one feature to the next
const FIRST = 215; // degrees of it

class LayerView extends HTMLElement {
  #file = null;
  #number = 0; // of the layer that is shown, from 0
  #drawn = null; // its paths, and those below it
  #middle = [0, 0]; // mm, in the middle of the canvas
  #scale = 1; // pixels a mm
  #frame = 0;
  #timer = 0;

  connectedCallback() {
    const shut = this.querySelector("template[data-shut]");
    if (!shut || this.querySelector("[data-open]")) return;
    this.append(shut.content.cloneNode(true));
    this.addEventListener("click", ({ target }) => this.#clicked(target.closest("button")));
  }

  disconnectedCallback() { clearTimeout(this.#timer); }

  #find(what) { return this.querySelector(what); }

  #clicked(button) {
    if (!button) return;
    const { open, zoom, play, feature } = button.dataset;
    if (open !== undefined) this.#open();
    else if (play !== undefined) this.#play(button.getAttribute("aria-pressed") !== "true");
    else if (zoom) this.#zoom(zoom);
    else if (feature) this.#next(Number(feature));
  }

  async #open() {
    const said = this.#find("[data-said]");
    said.textContent = said.dataset.loading;
    try {
      this.#file = await PathsFile.open(this.getAttribute("src"));
      if (!this.#file.count) throw new Error("no layers");
    } catch {
      said.textContent = said.dataset.failed;
      return;
    }
    said.textContent = "";
    this.append(this.#find("template[data-opened]").content.cloneNode(true));
    this.setAttribute("open", "");
    const slider = this.#find("input");
    slider.max = this.#file.count;
    slider.addEventListener("input", () => this.#show(Number(slider.value) - 1));
    for (const field of this.querySelectorAll("[data-jump]")) {
      field.addEventListener("change", () => field.value && this.#jump(field.dataset.jump, Number(field.value)));
    }
    this.#legend();
    this.#follow(this.#find("canvas"));
    new ResizeObserver(() => this.#draw()).observe(this.#find("canvas"));
    this.#fit();
    slider.focus();
    await this.#show(0);
  }

  // ---------------------------------------------------------------- which layer

  async #show(number) {
    this.#number = number;
    const slider = this.#find("input"), layer = this.#file.layers[number];
    slider.value = number + 1;
    const values = { n: number + 1, all: this.#file.count, z: layer.z };
    for (const name of ["seconds", "filament"]) values[name] = Math.round(layer[name]);
    const form = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 2 });
    const words = slider.dataset.words.replace(/\{(\w+)\}/g, (_, name) => form.format(values[name]));
    slider.setAttribute("aria-valuetext", words);
    this.#find("output").textContent = words;
    const wanted = number ? [number, number - 1] : [number];
    const [here, below = []] = await Promise.all(wanted.map(one => this.#file.layer(one)));
    if (this.#number !== number) return; // another one is wanted meanwhile
    this.#drawn = [number, here, below];
    this.#draw();
    if (!this.#file.has(number + 1) && number + 1 < this.#file.count) this.#file.layer(number + 1).catch(() => {});
  }

  // To the first layer that is as high, or is printed as late: mm, or minutes.
  #jump(to, value) {
    let time = 0;
    const reached = ({ z, seconds }) => to === "z" ? z >= value - 1e-3 : (time += seconds) >= 60 * value;
    const found = this.#file.layers.findIndex(reached);
    this.#show(found < 0 ? this.#file.count - 1 : found);
  }

  // To the next layer in which something of the kind is laid down, begun anew after the last one.
  async #next(feature) {
    const said = this.#find("[data-said]"), { count } = this.#file, from = this.#number;
    said.textContent = said.dataset.loading;
    let found = null;
    for (let step = 1; step < count && found === null; step += 1) {
      const number = (from + step) % count, paths = await this.#file.layer(number);
      if (this.#number !== from) break; // somebody went elsewhere meanwhile
      if (paths.some(path => path.feature === feature)) found = number;
    }
    said.textContent = found === null && this.#number === from ? said.dataset.none : "";
    if (found !== null) this.#show(found);
  }

  #play(on) {
    clearTimeout(this.#timer);
    this.#find("[data-play]").setAttribute("aria-pressed", on);
    if (!on) return;
    const next = async () => {
      const number = this.#number + 1;
      if (number >= this.#file.count) return this.#play(false);
      await this.#show(number);
      this.#timer = setTimeout(next, PAUSE);
    };
    next();
  }

  // ---------------------------------------------------------------- from where

  get #size() {
    const { clientWidth, clientHeight } = this.#find("canvas");
    return [clientWidth, clientHeight];
  }

  #fit() {
    const [low, high] = this.#file.bounds, [width, height] = this.#size;
    this.#middle = low.map((least, axis) => (least + high[axis]) / 2);
    const [x, y] = low.map((least, axis) => Math.max(high[axis] - least, 0.1));
    this.#scale = (1 - 2 * MARGIN) * Math.min(width / x, height / y);
    this.#draw();
  }

  #zoom(way) {
    if (way === "whole") return this.#fit();
    this.#scale *= way === "in" ? 1 / NEARER : NEARER;
    this.#draw();
  }

  #move(right, down) {
    this.#middle = [this.#middle[0] - right / this.#scale, this.#middle[1] + down / this.#scale];
    this.#draw();
  }

  #follow(canvas) {
    const keys = {
      ArrowLeft: () => this.#move(STEP, 0), ArrowRight: () => this.#move(-STEP, 0),
      ArrowUp: () => this.#move(0, STEP), ArrowDown: () => this.#move(0, -STEP),
      "+": () => this.#zoom("in"), "=": () => this.#zoom("in"), "-": () => this.#zoom("out"), 0: () => this.#fit(),
    };
    canvas.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    const pointers = new Map();
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y) || 1;
    };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointermove", event => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const was = pointers.size > 1 ? spread() : 0;
      pointers.set(event.pointerId, event);
      if (was) this.#scale *= spread() / was;
      this.#move(event.x - before.x, event.y - before.y);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, event => pointers.delete(event.pointerId));
    }
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      this.#zoom(event.deltaY < 0 ? "in" : "out");
    }, { passive: false });
  }

  // ---------------------------------------------------------------- what is seen

  #color(feature) {
    const lightness = matchMedia("(prefers-color-scheme: dark)").matches ? 65 : 40;
    return `hsl(${(FIRST + feature * TURN * 360) % 360} 60% ${lightness}%)`;
  }

  #legend() {
    const list = this.#find("[data-legend]");
    this.#file.features.forEach((words, feature) => {
      if (!words) return;
      const line = list.appendChild(document.createElement("li")), sign = document.createElement("span");
      const button = line.appendChild(document.createElement("button"));
      Object.assign(button, { type: "button", className: "btn btn-sm" });
      button.dataset.feature = feature;
      sign.setAttribute("aria-hidden", "true");
      sign.style.background = this.#color(feature);
      button.append(sign, words);
    });
  }

  #draw() { this.#frame ||= requestAnimationFrame(() => this.#paint()); }

  #paint() {
    this.#frame = 0;
    if (!this.#drawn) return;
    const canvas = this.#find("canvas"), [width, height] = this.#size, ratio = Math.min(2, devicePixelRatio);
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const pen = canvas.getContext("2d"), scale = this.#scale * ratio;
    pen.setTransform(scale, 0, 0, -scale, canvas.width / 2 - this.#middle[0] * scale, canvas.height / 2 + this.#middle[1] * scale);
    pen.lineCap = pen.lineJoin = "round";
    const [number, here, below] = this.#drawn;
    pen.globalAlpha = 0.15;
    this.#stroke(pen, below, () => getComputedStyle(canvas).color);
    pen.globalAlpha = 1;
    this.#stroke(pen, here, feature => this.#color(feature));
    canvas.dataset.layer = number + 1;
  }

  // One stroke for all paths of a feature and a width.
  #stroke(pen, paths, color) {
    const strokes = new Map();
    for (const { feature, width, points } of paths) {
      const key = `${feature} ${width.toFixed(2)}`;
      if (!strokes.has(key)) strokes.set(key, { feature, width, line: new Path2D() });
      const { line } = strokes.get(key);
      line.moveTo(points[0], points[1]);
      for (let at = 2; at < points.length; at += 2) line.lineTo(points[at], points[at + 1]);
    }
    for (const { feature, width, line } of strokes.values()) {
      pen.strokeStyle = color(feature);
      pen.lineWidth = Math.max(width, 0.5 / this.#scale);
      pen.stroke(line);
    }
  }
}

customElements.define("layer-view", LayerView);
