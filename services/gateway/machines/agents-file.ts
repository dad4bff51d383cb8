import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function agentsFile(): string {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../../..', name), 'utf8');
  const [, about, what] = read('README.md').split(/\n\n/);
  const [set, ...sections] = read('CONTRIBUTING.md').split(/^(?=## )/m);
  return `# For agents

This file is generated from README.md and CONTRIBUTING.md: edit those, then run \`npm run generate\`.

${about} ${what}

- To **use** a marketplace, read \`/llms.txt\` on its host, or [docs/README.md](docs/README.md) here.
- To **call** it, take the [SDK](docs/sdk.md), the [command line](docs/cli.md) or the [HTTP API](services/gateway/routes.ts).
- To **change** it, read on, then [docs/architecture.md](docs/architecture.md) and [docs/style.md](docs/style.md).

## Set up and check

${set!.replace(/^# .+\n+/, '').trim()}

${sections.join('').trim()}
`;
}
