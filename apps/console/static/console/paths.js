// The paths of all layers of a gcode file (gcode/paths_file.py of the platform): its head and table
// are read first, then about a megabyte around the layer that is wanted. What was read is kept.
import { brought } from "./viewer.js";

const HEAD = 1 << 16, BLOCK = 1 << 20, KEPT = 64 << 20; // bytes
const ROW = 56;

export class PathsFile {
  #kept = new Map(); // the bytes [start, end) by start, in the order in which they were wanted
  #size = 0;

  static async open(address) {
    const file = new PathsFile();
    const answer = await brought(address, { headers: { Range: `bytes=0-${HEAD - 1}` } });
    file.location = answer.url;
    let head = await answer.arrayBuffer();
    const words = new DataView(head), length = words.getUint32(12, true);
    file.count = words.getUint32(8, true);
    const table = (16 + length + 7) & ~7, end = table + ROW * file.count;
    Object.assign(file, JSON.parse(new TextDecoder().decode(await file.#bytes(16, 16 + length, head))));
    if (end > head.byteLength) head = await file.#fetch(0, end);
    const rows = new DataView(head, table, ROW * file.count);
    file.layers = Array.from({ length: file.count }, (_, number) => readRow(rows, ROW * number));
    return file;
  }

  // Paths of a layer: {feature, width, points}; lengths in mm, points as x and y by turns.
  async layer(number) {
    const row = this.layers[number], start = row.offset, end = endOf(row);
    let block = this.#block(start, end);
    if (!block) {
      let last = number;
      while (last + 1 < this.count && endOf(this.layers[last + 1]) - start <= BLOCK) last += 1;
      block = { start, data: await this.#fetch(start, endOf(this.layers[last])) };
      this.#keep(block);
    }
    return readPaths(block.data, start - block.start, row);
  }

  // Whether a layer needs no asking.
  has(number) {
    const row = this.layers[number];
    return Boolean(row && this.#block(row.offset, endOf(row)));
  }

  #block(start, end) {
    for (const block of this.#kept.values()) {
      if (block.start <= start && end <= block.start + block.data.byteLength) return block;
    }
    return undefined;
  }

  #keep(block) {
    this.#kept.set(block.start, block);
    this.#size += block.data.byteLength;
    for (const [start, oldest] of this.#kept) {
      if (this.#size <= KEPT) break;
      this.#kept.delete(start);
      this.#size -= oldest.data.byteLength;
    }
  }

  async #bytes(start, end, head) {
    return end <= head.byteLength ? new Uint8Array(head, start, end - start) : new Uint8Array(await this.#fetch(start, end));
  }

  async #fetch(start, end) {
    const answer = await fetch(this.location, { headers: { Range: `bytes=${start}-${end - 1}` } });
    if (!answer.ok) throw new Error(`${this.location} is ${answer.status}`);
    const data = await answer.arrayBuffer();
    return answer.status === 206 ? data : data.slice(start, end);
  }
}

function endOf({ offset, paths, points }) { return offset + 8 * paths + 4 * points; }

function readRow(view, at) {
  const float = byte => view.getFloat64(at + byte, true), single = byte => view.getFloat32(at + byte, true);
  return {
    offset: Number(view.getBigUint64(at, true)),
    paths: view.getUint32(at + 8, true), points: view.getUint32(at + 12, true),
    low: [float(16), float(24)], step: float(32),
    z: single(40), height: single(44), seconds: single(48), filament: single(52),
  };
}

function readPaths(data, at, { paths, low: [x, y], step }) {
  const view = new DataView(data);
  let place = at + 8 * paths;
  return Array.from({ length: paths }, (_, number) => {
    const path = at + 8 * number, points = new Float32Array(2 * view.getUint32(path, true));
    for (let point = 0; point < points.length; point += 2, place += 4) {
      points[point] = x + step * view.getUint16(place, true);
      points[point + 1] = y + step * view.getUint16(place + 2, true);
    }
    return { feature: view.getUint16(path + 4, true), width: view.getUint16(path + 6, true) / 1000, points };
  });
}
