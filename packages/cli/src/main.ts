import { run } from './run.ts';

// A reader such as head closes the output early. What was begun, a signed transaction above all, goes on to its end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`error: The answer was not written: ${error.message}\n`);
  });
}

const code = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  liveErr: process.stderr.isTTY === true,
});
process.exitCode ||= code;
