import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

// One process runs all commands of a document, in the folder and the environment of the shell that calls them. A
// process for each command would take most of the time. Other tests show that a command starts in a process of its own.
const [socket, program] = process.argv.slice(2) as [string, string];
const { run } = await import(pathToFileURL(program).href);

createServer(async (req, res) => {
  const [environment = '', words = ''] = Buffer.concat(await req.toArray())
    .toString()
    .split('\0\0');
  const variables = environment.split('\0').map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  let out = '';
  const code = await run(words.split('\0').slice(0, -1), {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => process.stderr.write(text),
    env: Object.fromEntries(variables),
    liveErr: false,
  });
  // With these statuses, curl exits with an error.
  res.writeHead(code === 0 ? 200 : 500).end(out);
}).listen(socket, () => process.stdout.write('ready\n'));
