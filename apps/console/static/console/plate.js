// A packed run in three dimensions: each model once, each piece an instance of it; a slider takes
// the pieces out in the order and the directions that the platform has found.
import { brought, SolidView } from "./viewer.js";

const MANY = 250; // pieces: of more, each has fewer triangles
const FEW = 500, SOME = 2000;
// The triangles of a box, by corners whose bits say where they lie along x, y and z.
const BOX = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
const TURN = 0.618; // of the circle of colours, from one line item to the next

class PlateView extends SolidView {
  #pieces = [];
  #moves = []; // for each piece, functions that put it at a matrix: as its model, and as a box
  #reach = 0; // mm that a piece is drawn out
  #three = null;
  #picked = null;

  async load() {
    const [plate, glb, stage, three] = await Promise.all([
      brought(this.getAttribute("src")).then(answer => answer.json()),
      import("./glb.js"), import("./stage.js"), import("./vendor/three-0.187.0.part.js")]);
    this.#three = three;
    this.#pieces = plate.pieces;
    this.#moves = plate.pieces.map(() => []);
    this.#reach = plate.reach;
    const triangles = plate.pieces.length > MANY ? FEW : SOME;
    const fine = new three.Group(), coarse = new three.Group();
    await Promise.all(plate.models.map(async (address, number) => {
      const numbers = plate.pieces.flatMap(({ model }, at) => model === number ? [at] : []);
      const file = await (await brought(`${address}?triangles=${triangles}`)).arrayBuffer();
      const geometry = stage.geometryOf(glb.readMesh(file));
      geometry.computeBoundingBox();
      fine.add(this.#instances(geometry, stage.material({ color: "white" }), numbers));
      coarse.add(this.#boxes(geometry.boundingBox, stage.material({ color: "white", vertexColors: true, side: 0 }), numbers));
    }));
    fine.add(this.#bed(plate.bed));
    this.#take(0);
    this.#listen();
    const points = plate.pieces.flatMap(({ box: [low, high] }) => [0, 1, 2, 3, 4, 5, 6, 7].flatMap(
      corner => low.map((least, axis) => corner >> axis & 1 ? high[axis] : least)));
    return { fine, coarse, points };
  }

  #instances(geometry, material, numbers) {
    const { InstancedMesh } = this.#three;
    const mesh = new InstancedMesh(geometry, material, numbers.length);
    mesh.frustumCulled = false;
    mesh.userData.pieces = numbers;
    numbers.forEach((number, at) => {
      mesh.setColorAt(at, this.#color(number));
      this.#moves[number].push(matrix => {
        mesh.setMatrixAt(at, matrix);
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null;
      });
    });
    return mesh;
  }

  // The same as boxes of one mesh: where a processor draws, each instance costs it as much as a
  // hundred triangles.
  #boxes({ min, max }, material, numbers) {
    const { BufferAttribute, BufferGeometry, Mesh, Vector3 } = this.#three;
    const geometry = new BufferGeometry(), corner = new Vector3();
    const places = new BufferAttribute(new Float32Array(24 * numbers.length), 3);
    const colors = new BufferAttribute(new Float32Array(24 * numbers.length), 3);
    const corners = new Uint32Array(BOX.length * numbers.length);
    numbers.forEach((number, at) => {
      const { r, g, b } = this.#color(number);
      for (let n = 0; n < 8; n += 1) colors.setXYZ(8 * at + n, r, g, b);
      BOX.forEach((n, place) => { corners[BOX.length * at + place] = 8 * at + n; });
      this.#moves[number].push(matrix => {
        for (let n = 0; n < 8; n += 1) {
          corner.set(n & 1 ? max.x : min.x, n & 2 ? max.y : min.y, n & 4 ? max.z : min.z).applyMatrix4(matrix);
          places.setXYZ(8 * at + n, ...corner);
        }
        places.needsUpdate = true;
      });
    });
    geometry.setAttribute("position", places).setAttribute("color", colors);
    geometry.setIndex(new BufferAttribute(corners, 1));
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    return mesh;
  }

  // By its line item.
  #color(number) {
    return new this.#three.Color().setHSL((0.6 + this.#pieces[number].line * TURN) % 1, 0.55, 0.5);
  }

  // The outline of what can be printed on.
  #bed({ x, y }) {
    const { BoxGeometry } = this.#three;
    return this.#lines(new BoxGeometry(x, y, 0).translate(x / 2, y / 2, 0));
  }

  #lines(box) {
    const { EdgesGeometry, LineBasicMaterial, LineSegments } = this.#three;
    const lines = new LineSegments(new EdgesGeometry(box), new LineBasicMaterial({ color: "#747b87" }));
    lines.raycast = () => {};
    return lines;
  }

  #listen() {
    const slider = this.find("[data-out]");
    slider.max = this.#pieces.length;
    slider.addEventListener("input", () => {
      this.#take(Number(slider.value));
      this.stage.draw();
    });
    this.#tell(slider, 0);
  }

  // So many pieces are out, and the next one on its way.
  #take(out) {
    const { Matrix4 } = this.#three, gone = new Matrix4().makeScale(0, 0, 0);
    this.#pieces.forEach(({ transform, direction }, number) => {
      const way = Math.min(Math.max(out - number, 0), 1);
      const matrix = new Matrix4().set(...transform.flat());
      if (direction) matrix.premultiply(new Matrix4().makeTranslation(...direction.map(x => x * way * this.#reach)));
      const isThere = way < 1 && (direction || way === 0);
      for (const move of this.#moves[number]) move(isThere ? matrix : gone);
    });
    this.#pick(null);
    this.#tell(this.find("[data-out]"), out);
  }

  #tell(slider, out) {
    const next = this.#pieces[Math.ceil(out) - 1];
    const words = next ? next.direction ? slider.dataset.out : slider.dataset.around : slider.dataset.none;
    const values = { n: Math.ceil(out), all: this.#pieces.length, name: next?.name };
    const said = words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    slider.setAttribute("aria-valuetext", said);
    this.find("output").textContent = said;
  }

  touched(event) {
    const hit = this.stage.at(event.offsetX, event.offsetY);
    this.#pick(hit ? this.#pieces[hit.object.userData.pieces[hit.instanceId]] : null);
    this.stage.draw();
  }

  #pick(piece) {
    this.#picked?.removeFromParent();
    this.#picked = null;
    if (!piece) return;
    const { BoxGeometry } = this.#three, [low, high] = piece.box;
    const box = new BoxGeometry(...high.map((most, axis) => most - low[axis]));
    this.#picked = this.#lines(box.translate(...high.map((most, axis) => (most + low[axis]) / 2)));
    this.stage.fine.add(this.#picked);
    this.find("output").textContent = piece.name;
  }
}

customElements.define("plate-view", PlateView);
