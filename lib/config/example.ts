import { networks } from '@adaptor-marketplace/adaptor';
import { describeSettings } from './describe.ts';

/** Sections of `.env.example`, in its order. A setting stands in the last one whose pattern its name matches. */
const sections: readonly { title: string; names: RegExp }[] = [
  { title: 'HTTP API, logs and outgoing requests', names: /^/ },
  { title: 'State', names: /DATABASE|^DATA|POSTGRES/ },
  { title: 'The local network, which runs while no network has an RPC url', names: /^LOCALNET_/ },
  {
    title: 'Rate limits, API keys and webhooks (docs/limits-and-keys.md)',
    names: /^(REDIS|KV|UPSTASH|MARKETPLACE|CRON)_|^TRUST_PROXY$/,
  },
  { title: 'Agent actions and the tool service (docs/agent-run.md)', names: /AGENT_|^TOOLS_/ },
  ...networks.map((network) => ({
    title: `The network ${network}`,
    names: new RegExp(`(^|_)${network.toUpperCase()}_`),
  })),
];

const head = `Every setting, with its description and its default. Copy this file to .env, then remove the # in front of
  what you change; a copy that you leave as it is changes nothing. \`npm run config\` prints the values in force.
  This file is generated: edit the descriptions in lib/config, then run \`npm run generate\`.`;

/**
 * The text of `.env.example`: every setting with its description and its default. They are commented out, because a
 * setting that stands at its default is not always the same as one that is absent: a port that is set is required.
 */
export function environmentExample(): string {
  const settings = describeSettings({});
  const parts = sections.map((section) => {
    const lines = settings
      .filter(({ name }) => sections.findLast(({ names }) => names.test(name)) === section)
      .map(({ name, value, meaning }) => `${comment(meaning)}#${name}=${value}\n`);
    return `# === ${section.title} ===\n\n${lines.join('\n')}`;
  });
  return `${comment(head)}\n${parts.join('\n')}`;
}

const lineWidth = 110;

/** The text as comment lines, each ending in a line break. */
function comment(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= lineWidth)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(`# ${word}`);
  }
  return `${lines.join('\n')}\n`;
}
