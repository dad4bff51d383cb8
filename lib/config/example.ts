import { networks } from '@adaptor-marketplace/adaptor';
import { describeSettings } from './describe.ts';

interface Section {
  title: string;
  names: RegExp;
  /** Document of `docs/` with more. */
  more?: string;
}

/** Sections of `.env.example`, in its order. A setting belongs to the last one whose pattern its name matches. */
const sections: readonly Section[] = [
  { title: 'HTTP API, logs and outgoing requests', names: /^/ },
  { title: 'State', names: /DATABASE|^DATA|POSTGRES/ },
  { title: 'The local network, which runs while no network has an RPC url', names: /^LOCALNET_/ },
  {
    title: 'Rate limits, API keys and webhooks',
    names: /^(REDIS|KV|UPSTASH|MARKETPLACE|CRON)_|^TRUST_PROXY$/,
    more: 'limits-and-keys.md',
  },
  { title: 'Agent actions and the tool service', names: /AGENT_|^TOOLS_/, more: 'operate-the-agent.md' },
  ...networks.map((network) => ({
    title: `The network ${network}`,
    names: new RegExp(`(^|_)${network.toUpperCase()}_`),
  })),
];

const head = `Every setting, with its description and its default. Copy this file to .env, then remove the # in front of
  what you change; a copy that you leave as it is changes nothing. \`npm run config\` prints the values in force.
  This file is generated: edit the descriptions in lib/config, then run \`npm run generate\`.`;

/**
 * Returns the text of `.env.example`: every setting with its description and its default. The settings are commented
 * out, because setting the default is not always the same as leaving it unset: a port that is set is required.
 */
export function renderEnvironmentExample(): string {
  const parts = sections.map((section) => {
    const lines = listSettings(section).map(
      ({ name, value, meaning }) => `${toCommentLines(meaning)}#${name}=${value}\n`,
    );
    const more = section.more === undefined ? '' : ` (docs/${section.more})`;
    return `# === ${section.title}${more} ===\n\n${lines.join('\n')}`;
  });
  return `${toCommentLines(head)}\n${parts.join('\n')}`;
}

const listSettings = (section: Section) =>
  describeSettings({}).filter(({ name }) => sections.findLast(({ names }) => names.test(name)) === section);

const documentHead = `# Settings

Every setting of the service, with its description and its default. Settings are environment variables; the service also
reads them from \`.env\`, and \`.env.example\` has all of them. \`npm run config\` prints the values in force, without secrets.
[operations.md](operations.md) says how to run the service.

The service renders this document from \`lib/config\`.
`;

/** Renders every setting as Markdown. The gateway serves it as /docs/settings.md, and the site searches it. */
export function renderSettingsDocument(): string {
  const parts = sections.map((section) => {
    const more = section.more === undefined ? '' : `\nMore: [${section.more}](${section.more}).\n`;
    const entries = listSettings(section).map(
      ({ name, value, meaning }) =>
        `\n### ${name}\n\n${meaning}\n${value === '' ? '' : `\nDefault: \`${value}\`.\n`}`,
    );
    return `\n## ${section.title}\n${more}${entries.join('')}`;
  });
  return `${documentHead}${parts.join('')}`;
}

const lineWidth = 110;

/** Wraps a text into comment lines, each with a line break at its end. */
function toCommentLines(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= lineWidth)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(`# ${word}`);
  }
  return `${lines.join('\n')}\n`;
}
