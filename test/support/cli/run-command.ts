import { run } from '../../../packages/cli/src/run.ts';

/** Runs one command as `npx adaptor-marketplace` does, in this process. */
export async function runCommand(words: readonly string[], env: Record<string, string>) {
  const said = { out: '', err: '' };
  const out = (text: string) => {
    said.out += text;
  };
  const err = (text: string) => {
    said.err += text;
  };
  return { code: await run(words, { env, liveErr: false, out, err }), ...said };
}
