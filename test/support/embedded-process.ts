/** A process that uses the embedded server of a folder until it is killed: `node embedded-process.ts <dir>`. */
import { startEmbeddedServer } from '../../db/embedded/server.ts';

const [dir = ''] = process.argv.slice(2);
const { url } = await startEmbeddedServer({ dir, volatile: true });
process.stdout.write(`${url}\n`);
