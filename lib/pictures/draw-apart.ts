import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

/** A thread that draws one SVG as PNG, with fonts from packages alone. */

const read = (name: string) => readFile(fileURLToPath(import.meta.resolve(name)));
const [program, ...fontBuffers] = await Promise.all([
  read('@resvg/resvg-wasm/index_bg.wasm'),
  read('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  read('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
]);
await initWasm(program!);
const drawing = new Resvg(workerData as string, {
  font: { fontBuffers, loadSystemFonts: false, defaultFontFamily: 'DejaVu Sans' },
});
parentPort!.postMessage(drawing.render().asPng());
