import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { render } from '../../../web/components/html.ts';
import { operationPage } from '../../../web/pages/reference.ts';
import { type ApiRequest, type RequestData, renderSample } from '../../../web/words/request-sample.ts';
import { routes } from '../routes.ts';
import { createOpenApiDocument } from './document.ts';
import { describeReference } from './operations.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

const reference = describeReference(createOpenApiDocument(routes), routes);

/** Every request that a page of the reference shows, with each example of its body, by a name for files. */
const requests: [name: string, request: ApiRequest][] = reference.groups
  .flatMap(({ operations }) => operations)
  .flatMap((operation) => {
    const page = render(operationPage(reference, operation, 'https://host.example').main);
    const [, json] = /<script [^>]*id="request-data"[^>]*>([^<]*)<\/script>/.exec(page)!;
    const { request, examples }: RequestData = JSON.parse(json!);
    const bodies = Object.values(examples).map((example) => JSON.stringify(example, null, 2));
    return (bodies.length === 0 ? [undefined] : bodies).map((body, at): [string, ApiRequest] => [
      `${request.operationId}-${at}`,
      { ...request, body },
    ]);
  });

test('the samples in JavaScript call the SDK with the types that it declares', async () => {
  expect(requests.length).toBeGreaterThan(90);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'samples-'));
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
  const options = {
    allowJs: true,
    checkJs: true,
    lib: ['esnext', 'dom', 'dom.asynciterable'],
    paths: { '@adaptor-marketplace/sdk': [join(root, 'packages/sdk/src/index.ts')] },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  await Promise.all([
    write(
      'tsconfig.json',
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: ['*.mjs'] }),
    ),
    ...requests.map(([name, request]) => write(`${name}.mjs`, renderSample('JavaScript', request))),
  ]);
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['--project', folder.path]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
