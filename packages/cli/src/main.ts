if (process.argv[2] === 'localnet') {
  process.argv.splice(2, 1);
  await import('@adaptor-marketplace/localnet/command');
} else {
  const outClosed = new AbortController();
  // A reader such as head may close the output early. A signed transaction still runs to its end.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (stream === process.stdout) outClosed.abort();
      if (error.code === 'EPIPE') return;
      process.exitCode = 1;
      if (stream === process.stdout)
        process.stderr.write(`error: Cannot write the output: ${error.message}\n`);
    });
  }
  const { run } = await import('./run.ts');
  const code = await run(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    liveErr: process.stderr.isTTY === true,
    outClosed: outClosed.signal,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    // Only a terminal has the method, which respects NO_COLOR.
    colours: { out: process.stdout.hasColors?.() === true, err: process.stderr.hasColors?.() === true },
  });
  process.exitCode ||= code;
}
