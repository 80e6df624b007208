// Makes the files of this folder, with Node.js: `npm install draco3d@1.5.9 meshoptimizer@1.3.0`, then `node make.mjs`.
// Each NAME.glb is compressed; NAME_decoded.glb is the same file as the decoder of draco3d or meshoptimizer unpacks it.
import fs from 'node:fs';
import draco3d from 'draco3d';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
await MeshoptDecoder.ready; await MeshoptEncoder.ready;

// A torus with bumps, rings by sides points.
function torus(rings, sides) {
  const points = [], indices = [];
  for (let i = 0; i < rings; i++) for (let j = 0; j < sides; j++) {
    const u = 2 * Math.PI * i / rings, v = 2 * Math.PI * j / sides, r = 2 + (0.6 + 0.1 * Math.sin(3 * u)) * Math.cos(v);
    points.push(r * Math.cos(u), r * Math.sin(u), 0.6 * Math.sin(v));
    const [a, b] = [i * sides + j, i * sides + (j + 1) % sides], [c, d] = [a, b].map(k => (k + sides) % (rings * sides));
    indices.push(a, c, b, b, c, d);
  }
  return { points: new Float32Array(points), indices: new Uint32Array(indices) };
}

// A flat grid of squares, which compresses to next to nothing.
function grid(size) {
  const points = [], indices = [];
  for (let i = 0; i <= size; i++) for (let j = 0; j <= size; j++) points.push(i, j, 0);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) {
    const a = i * (size + 1) + j, c = a + size + 1;
    indices.push(a, c, a + 1, a + 1, c, c + 1);
  }
  return { points: new Float32Array(points), indices: new Uint32Array(indices) };
}

function glb(json, bin) {
  const pad = (b, fill) => Buffer.concat([b, Buffer.alloc(-b.length & 3, fill)]);
  const text = pad(Buffer.from(JSON.stringify(json)), ' '), data = pad(bin, 0), head = Buffer.alloc(20), mid = Buffer.alloc(8);
  [0x46546c67, 2, 28 + text.length + data.length, text.length, 0x4e4f534a].forEach((n, i) => head.writeUInt32LE(n, 4 * i));
  [data.length, 0x004e4942].forEach((n, i) => mid.writeUInt32LE(n, 4 * i));
  return Buffer.concat([head, text, mid, data]);
}
const f32 = 5126, u16 = 5123, u32 = 5125, i16 = 5122;
const bytes = a => Buffer.from(a.buffer, a.byteOffset, a.byteLength);

// Draco, and what its own decoder makes of it, uncompressed.
const encoder = await draco3d.createEncoderModule(), decoder = await draco3d.createDecoderModule();
for (const [name, method, speed] of [['edgebreaker', 1, 5], ['valence', 1, 0], ['sequential', 0, 10], ['grid', 1, 5]]) {
  const { points, indices } = name === 'grid' ? grid(64) : torus(12, 8), mesh = new encoder.Mesh(), builder = new encoder.MeshBuilder(), e = new encoder.Encoder();
  builder.AddFacesToMesh(mesh, indices.length / 3, indices);
  const id = builder.AddFloatAttributeToMesh(mesh, encoder.POSITION, points.length / 3, 3, points);
  e.SetSpeedOptions(speed, speed); e.SetEncodingMethod(method); e.SetAttributeQuantization(encoder.POSITION, name === 'grid' ? 6 : 11);
  const out = new encoder.DracoInt8Array(), size = e.EncodeMeshToDracoBuffer(mesh, out);
  const drc = Buffer.from(Int8Array.from({ length: size }, (_, i) => out.GetValue(i)).buffer);
  const back = new decoder.Mesh(), d = new decoder.Decoder();
  d.DecodeArrayToMesh(new Int8Array(drc), drc.length, back);
  const floats = new decoder.DracoFloat32Array(), faces = new decoder.DracoInt32Array();
  d.GetAttributeFloatForAllPoints(back, d.GetAttributeByUniqueId(back, id), floats);
  const p = Float32Array.from({ length: floats.size() }, (_, i) => floats.GetValue(i)), k = [];
  for (let i = 0; i < back.num_faces(); i++) { d.GetFaceFromMesh(back, i, faces); k.push(0, 1, 2); k.splice(-3, 3, ...[0, 1, 2].map(c => faces.GetValue(c))); }
  const index = new Uint32Array(k);
  const base = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ name: 'torus', mesh: 0 }] };
  const accessors = [{ componentType: f32, count: p.length / 3, type: 'VEC3' }, { componentType: u32, count: index.length, type: 'SCALAR' }];
  const primitive = { attributes: { POSITION: 0 }, indices: 1 };
  fs.writeFileSync(`draco_${name}.glb`, glb({ ...base, extensionsUsed: ['KHR_draco_mesh_compression'], extensionsRequired: ['KHR_draco_mesh_compression'],
    meshes: [{ primitives: [{ ...primitive, extensions: { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: id } } } }] }],
    accessors, bufferViews: [{ buffer: 0, byteLength: drc.length }], buffers: [{ byteLength: drc.length }] }, drc));
  if (name !== 'grid') fs.writeFileSync(`draco_${name}_decoded.glb`, glb({ ...base, meshes: [{ primitives: [primitive] }],
    accessors: accessors.map((a, i) => ({ ...a, bufferView: i })),
    bufferViews: [{ buffer: 0, byteLength: p.byteLength }, { buffer: 0, byteOffset: p.byteLength, byteLength: index.byteLength }],
    buffers: [{ byteLength: p.byteLength + index.byteLength }] }, Buffer.concat([bytes(p), bytes(index)])));
}

// meshopt: every mode and every filter that positions, indices and instances can have.
const { points, indices } = torus(24, 12), count = points.length / 3;
const [remap] = MeshoptEncoder.reorderMesh(indices, true, true);
const sorted = new Float32Array(points.length);
remap.forEach((to, from) => { if (to < count) sorted.set(points.subarray(3 * from, 3 * from + 3), 3 * to); });
const short = new Uint16Array(4 * count);
for (let i = 0; i < count; i++) for (let c = 0; c < 3; c++) short[4 * i + c] = Math.round((sorted[3 * i + c] + 3) * 1000);
const turns = new Float32Array([0, 0, 0, 1, 0.5, 0.5, 0.5, 0.5, 0.6, 0, 0, 0.8, -0.48, 0.6, 0.64, 0]);
const list = Uint16Array.from({ length: 90 }, (_, i) => (i * 7) % count);
const views = [
  [bytes(sorted), count, 12, 'ATTRIBUTES'], [bytes(new Uint32Array(indices)), indices.length, 4, 'TRIANGLES'],
  [bytes(short), count, 8, 'ATTRIBUTES'], [bytes(new Uint16Array(indices)), indices.length, 2, 'TRIANGLES'],
  [Buffer.from(MeshoptEncoder.encodeFilterExp(sorted, count, 12, 15)), count, 12, 'ATTRIBUTES', 'EXPONENTIAL'],
  [bytes(list), list.length, 2, 'INDICES'], [bytes(new Uint32Array(list)), list.length, 4, 'INDICES'],
  [Buffer.from(MeshoptEncoder.encodeFilterQuat(turns, 4, 8, 12)), 4, 8, 'ATTRIBUTES', 'QUATERNION'],
].map(([data, count, stride, mode, filter]) => {
  const code = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(data), count, stride, mode, 0), plain = new Uint8Array(count * stride);
  MeshoptDecoder.decodeGltfBuffer(plain, count, stride, code, mode, filter);
  return { code: Buffer.from(code), plain: Buffer.from(plain), count, stride, mode, filter };
});
const document = {
  asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1, 2, 3] }],
  nodes: [{ name: 'plain', mesh: 0 }, { name: 'quantised', mesh: 1, translation: [9, 0, 0] }, { name: 'exponential', mesh: 2 },
    { name: 'turned', mesh: 3, extensions: { EXT_mesh_gpu_instancing: { attributes: { ROTATION: 7 } } } }],
  meshes: [[0, 1], [2, 3], [4, 5], [0, 6]].map(([POSITION, indices]) => ({ primitives: [{ attributes: { POSITION }, indices }] })),
  accessors: [[0, f32, count, 'VEC3'], [1, u32, indices.length, 'SCALAR'], [2, u16, count, 'VEC3'], [3, u16, indices.length, 'SCALAR'],
    [4, f32, count, 'VEC3'], [5, u16, list.length, 'SCALAR'], [6, u32, list.length, 'SCALAR'], [7, i16, 4, 'VEC4']]
    .map(([bufferView, componentType, count, type]) => ({ bufferView, componentType, count, type, ...(type === 'VEC4' ? { normalized: true } : {}) })),
};
let [at, to, codes, plains] = [0, 0, [], []];
const packed = [], flat = [];
for (const { code, plain, count, stride, mode, filter } of views) {
  const byteStride = mode === 'ATTRIBUTES' ? { byteStride: stride } : {};
  packed.push({ buffer: 1, byteOffset: to, byteLength: plain.length, ...byteStride, extensions: { EXT_meshopt_compression: { buffer: 0, byteOffset: at, byteLength: code.length, byteStride: stride, count, mode, ...(filter ? { filter } : {}) } } });
  flat.push({ buffer: 0, byteOffset: to, byteLength: plain.length, ...byteStride });
  const pad = b => Buffer.concat([b, Buffer.alloc(-b.length & 3)]);
  codes.push(pad(code)); plains.push(pad(plain)); at += pad(code).length; to += pad(plain).length;
}
const uses = ['KHR_mesh_quantization', 'EXT_mesh_gpu_instancing'];
fs.writeFileSync('meshopt.glb', glb({ ...document, extensionsUsed: [...uses, 'EXT_meshopt_compression'], extensionsRequired: [...uses, 'EXT_meshopt_compression'],
  bufferViews: packed, buffers: [{ byteLength: at }, { byteLength: to, extensions: { EXT_meshopt_compression: { fallback: true } } }] }, Buffer.concat(codes)));
fs.writeFileSync('meshopt_decoded.glb', glb({ ...document, extensionsUsed: uses, extensionsRequired: uses, bufferViews: flat, buffers: [{ byteLength: to }] }, Buffer.concat(plains)));
