// What is seen in three dimensions. There is no loop: a frame is drawn when something has changed.
// Camera and lights are those of the platform's own pictures (platform/geometry/rendering.py).
import {
  BufferAttribute, BufferGeometry, DirectionalLight, DoubleSide, HemisphereLight,
  MeshLambertMaterial, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "./vendor/three-0.187.0.part.js";

const FIELD_OF_VIEW = 30, MARGIN = 1.14, FROM = [-0.55, -0.75, 0.52];
const KEY = 0.62, SKY = 0.5, BOUNCE = 0.22, FILL = 0.12;
const QUICK = 40; // ms a frame: what takes longer is drawn coarsely while it moves
const TIMED = 3, REST = 150; // frames; ms after the last movement
const COARSE = 0.5, FINE = 1.5; // pixels of ours for one of the page's
const STEEPEST = Math.PI / 2 - 0.001;
const UP = new Vector3(0, 0, 1);

export const COLOR = "#4a7fd0";

export function material(options = {}) {
  return new MeshLambertMaterial({ color: COLOR, flatShading: true, side: DoubleSide, ...options });
}

export function geometryOf({ places, corners }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(places, 3));
  geometry.setIndex(new BufferAttribute(corners, 1));
  return geometry;
}

export class Stage {
  frames = 0;
  scene = new Scene();
  #camera = new PerspectiveCamera(FIELD_OF_VIEW);
  #key = new DirectionalLight("white", Math.PI * KEY);
  #beside = new DirectionalLight("white", Math.PI * FILL);
  #ray = new Raycaster();
  #target = new Vector3();
  #distance = 1;
  #frame = 0;
  #timer = 0;
  #moving = false;
  #timing = false;
  #isCoarse = false; // what was drawn last
  #timed = 0;
  #quickest = Infinity;
  #size = "";

  // fine and coarse: what is seen at rest, and while it moves on a slow machine.
  // points: places, three numbers each, that all of it lies between; onpaint: called after a frame;
  // ontimed: told how many ms one took until its last pixel was there.
  constructor(canvas, context, { fine, coarse = null, points, onpaint = () => {}, ontimed = () => {} }) {
    this.canvas = canvas;
    this.onpaint = onpaint;
    this.ontimed = ontimed;
    this.renderer = new WebGLRenderer({ canvas, context, alpha: true, antialias: false });
    const sky = new HemisphereLight("white", "white", Math.PI * SKY);
    sky.groundColor.setScalar(BOUNCE / SKY);
    sky.position.copy(UP);
    this.scene.add(sky, this.#key, this.#beside, fine);
    this.fine = fine;
    this.coarse = null;
    if (coarse) this.addCoarse(coarse);
    this.#points = points;
    this.#measure();
    this.#watch = new ResizeObserver(() => this.draw());
    this.#watch.observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.draw());
    this.look(FROM);
  }

  #points; #centre; #radius; #watch;

  // Draws coarsely at rest as well, where a full frame takes too long; whether it can.
  roughen() {
    if (!this.coarse || this.#isRough) return false;
    this.#isRough = true;
    this.draw();
    return true;
  }

  #isRough = false;

  get isSlow() { return this.#timed > 0 && this.#quickest > QUICK; }

  // Whether all that has changed is drawn.
  get isAtRest() { return this.frames > 0 && !this.#frame && !this.#moving && !this.#timing; }

  addCoarse(coarse) {
    this.coarse = coarse;
    coarse.visible = false;
    this.scene.add(coarse);
  }

  // ---------------------------------------------------------------- the camera

  #measure() {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    const point = new Vector3();
    for (let at = 0; at < this.#points.length; at += 3) {
      point.fromArray(this.#points, at);
      low.min(point);
      high.max(point);
    }
    this.#centre = low.clone().add(high).divideScalar(2);
    this.#radius = Math.max(high.distanceTo(low) / 2, 1e-6);
  }

  // Looks at the whole from a side: a vector towards the eye.
  look(from) {
    this.#face(new Vector3(...from));
    this.#fit();
    this.#moved();
  }

  #face(from) {
    const away = from.normalize(); // of no length: from the front
    this.#azimuth = Math.hypot(away.x, away.y) < 0.001 ? -Math.PI / 2 : Math.atan2(away.y, away.x);
    this.#elevation = Math.asin(away.z);
  }

  // Looks at a place from outside, near enough to see what is there.
  lookAt(place) {
    this.#target.fromArray(place);
    this.#face(this.#target.clone().sub(this.#centre));
    this.#distance = Math.min(this.#distance, this.#radius * 1.8);
    this.#moved();
  }

  turn(right, up) {
    this.#azimuth -= right;
    this.#elevation += up;
    this.#moved();
  }

  zoom(factor) {
    const least = this.#radius / 50, most = this.#radius * 20;
    this.#distance = Math.min(most, Math.max(least, this.#distance * factor));
    this.#moved();
  }

  #azimuth = 0; #elevation = 0;

  // Unit vectors to the right, up and forward.
  #axes() {
    this.#elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.#elevation));
    const flat = Math.cos(this.#elevation);
    const forward = new Vector3(
      -flat * Math.cos(this.#azimuth), -flat * Math.sin(this.#azimuth), -Math.sin(this.#elevation));
    const right = new Vector3().crossVectors(forward, UP).normalize();
    return [right, new Vector3().crossVectors(right, forward), forward];
  }

  // The nearest place from which all points are seen: `_fitted_eye` of the platform's renderer.
  #fit() {
    const [right, up, forward] = this.#axes(), point = new Vector3();
    const slopeY = Math.tan(FIELD_OF_VIEW * Math.PI / 360) / MARGIN, slopeX = slopeY * this.#aspect();
    let left = -Infinity, low = -Infinity, farRight = -Infinity, high = -Infinity;
    for (let at = 0; at < this.#points.length; at += 3) {
      point.fromArray(this.#points, at).sub(this.#centre);
      const x = point.dot(right), y = point.dot(up), z = point.dot(forward);
      left = Math.max(left, -x - slopeX * z);
      farRight = Math.max(farRight, x - slopeX * z);
      low = Math.max(low, -y - slopeY * z);
      high = Math.max(high, y - slopeY * z);
    }
    this.#distance = Math.max((farRight + left) / (2 * slopeX), (high + low) / (2 * slopeY), this.#radius * 0.05);
    this.#target.copy(this.#centre)
      .addScaledVector(right, (farRight - left) / 2).addScaledVector(up, (high - low) / 2);
  }

  #aspect() { return this.canvas.clientWidth / this.canvas.clientHeight || 4 / 3; }

  #place() {
    const [right, up, forward] = this.#axes(), camera = this.#camera;
    camera.position.copy(this.#target).addScaledVector(forward, -this.#distance);
    camera.up.copy(up);
    camera.lookAt(this.#target);
    const reach = camera.position.distanceTo(this.#centre) + this.#radius * 1.05;
    camera.near = this.#distance / 200; // what is taken out may come near
    camera.far = reach + this.#radius * 4;
    camera.aspect = this.#aspect();
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.#beside.position.copy(forward).negate();
    const key = forward.multiplyScalar(-0.3).addScaledVector(up, 0.7).addScaledVector(right, -0.85).normalize();
    key.z = Math.max(key.z, 0.45); // also what is seen from below is lit from above
    this.#key.position.copy(key);
  }

  // ---------------------------------------------------------------- frames

  draw() { this.#frame ||= requestAnimationFrame(() => this.#paint()); }

  #moved() {
    this.#moving = true;
    this.#settle();
    this.draw();
  }

  // Draws in full once nothing has moved for a while: longer where a full frame takes long, which
  // would else come between two steps of one turn.
  #settle() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#moving = false; if (this.#isCoarse) this.draw(); },
      Math.max(REST, this.isSlow ? this.#quickest : 0));
  }

  #paint() {
    this.#frame = 0;
    if (!this.canvas.clientWidth || this.renderer.getContext().isContextLost()) return;
    const coarsely = this.coarse && !this.frames || this.#isRough || this.#moving && this.isSlow;
    this.#resize(coarsely ? COARSE : Math.min(2, Math.max(FINE, devicePixelRatio)));
    if (this.coarse) [this.coarse.visible, this.fine.visible] = [coarsely, !coarsely];
    this.#place();
    this.#isCoarse = coarsely;
    const begun = performance.now();
    this.renderer.render(this.scene, this.#camera);
    this.frames += 1;
    if (coarsely && this.#moving) this.#settle();
    this.onpaint(!coarsely || this.#isRough && !this.#moving);
    if (this.frames === 1 && coarsely) return this.draw(); // something is seen; now in full
    const isKnown = this.#isRough || this.#timed >= TIMED || this.#quickest <= QUICK;
    if (!this.#timing && !isKnown && !coarsely) this.#time(begun);
  }

  // How long a full frame takes until its last pixel is there; the first ones have shaders to compile.
  async #time(begun) {
    const context = this.renderer.getContext();
    const fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    const isThere = () => context.getSyncParameter(fence, context.SYNC_STATUS) === context.SIGNALED;
    context.flush();
    this.#timing = true;
    while (!context.isContextLost() && !isThere()) await new Promise(done => setTimeout(done, 1));
    this.#timing = false;
    if (context.isContextLost()) return;
    context.deleteSync(fence);
    this.#timed += 1;
    const took = performance.now() - begun;
    this.#quickest = Math.min(this.#quickest, took);
    this.ontimed(took, this.#timed === 1);
    if (this.isSlow && this.#timed < TIMED) this.draw();
  }

  #resize(ratio) {
    const { clientWidth: width, clientHeight: height } = this.canvas, size = [width, height, ratio].join();
    if (size === this.#size) return;
    this.#size = size;
    this.renderer.setDrawingBufferSize(width, height, ratio);
  }

  // ---------------------------------------------------------------- what is where

  // Where a place is on the canvas, in the page's pixels.
  project(place) {
    const at = new Vector3(...place).project(this.#camera);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return [(at.x + 1) / 2 * width, (1 - at.y) / 2 * height];
  }

  // Whether nothing stands before a place of the surface.
  sees(place) {
    const there = new Vector3(...place), from = this.#camera.position;
    this.#ray.set(from, there.clone().sub(from).normalize());
    const [hit] = this.#ray.intersectObject(this.fine);
    return !hit || hit.distance > from.distanceTo(there) - this.#radius / 100;
  }

  // What is hit at a point of the canvas; undefined where nothing is.
  at(x, y) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.#ray.setFromCamera(new Vector2(x / width * 2 - 1, 1 - y / height * 2), this.#camera);
    return this.#ray.intersectObject(this.fine)[0];
  }

  close() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#watch.disconnect();
    this.renderer.dispose();
    // A browser keeps no more than 16.
    if (!this.renderer.getContext().isContextLost()) this.renderer.forceContextLoss();
  }
}
