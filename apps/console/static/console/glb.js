// Reads the light meshes that the platform writes: GLB of one mesh, places and corners, nothing
// else. Its numbers are millimetres, z upwards. The arrays lie in the file itself.

const MAGIC = 0x46546c67, SHORT = 5123;

export function readMesh(file) {
  const words = new DataView(file);
  if (words.getUint32(0, true) !== MAGIC) throw new Error("This is no GLB.");
  const length = words.getUint32(12, true), start = 28 + length;
  const told = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 20, length)));
  const [primitive] = told.meshes[0].primitives;
  const view = (number, kind, each) => {
    const { bufferView, count } = told.accessors[number];
    return new kind(file, start + (told.bufferViews[bufferView].byteOffset ?? 0), count * each);
  };
  const short = told.accessors[primitive.indices].componentType === SHORT;
  return {
    places: view(primitive.attributes.POSITION, Float32Array, 3),
    corners: view(primitive.indices, short ? Uint16Array : Uint32Array, 1),
  };
}
