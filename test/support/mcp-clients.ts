import { join } from 'node:path';
import {
  Client,
  type ClientCapabilities,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const program = join(import.meta.dirname, '../../packages/cli/src/main.ts');

interface Credentials {
  apiKey?: string;
  token?: string;
}

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
}

/** A client of one protocol version over one transport, as programs use it. */
export interface ToolClient {
  listTools(): Promise<{
    tools: {
      name: string;
      description?: string;
      inputSchema: Record<string, unknown>;
      outputSchema?: Record<string, unknown>;
      annotations?: Record<string, unknown>;
    }[];
  }>;
  call(name: string, args: object, onProgress?: (message: string) => void): Promise<ToolResult>;
  resources(): Promise<string[]>;
  read(uri: string): Promise<string>;
  prompts(): Promise<string[]>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

type Reply = { action: 'accept'; content: { confirm: boolean } };

/** A connected client, and the answers of its person. */
export interface Connected {
  tools: ToolClient;
  answer(reply: (message: string) => Reply | Promise<Reply>): void;
}

type Connect = (baseUrl: string, credentials?: Credentials, path?: string) => Promise<ToolClient>;

const info = { name: 'test', version: '1.0.0' };
const buildHeaders = ({ apiKey, token }: Credentials = {}) => ({
  ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});
const buildStdioOptions = (baseUrl: string, { apiKey, token }: Credentials = {}) => ({
  command: process.execPath,
  args: [program, 'mcp', '--url', baseUrl],
  env: {
    PATH: process.env.PATH ?? '',
    ...(apiKey !== undefined && { MARKETPLACE_API_KEY: apiKey }),
    ...(token !== undefined && { MARKETPLACE_EXECUTOR_KEY: token }),
  },
});

/** Connects a client of the 2026 protocol. If it listens, it is notified of changes to its lists. */
export async function connectNew(
  baseUrl: string,
  credentials?: Credentials,
  path = '/mcp',
  options: ClientOptions = {},
): Promise<Connected & { client: Client }> {
  const requestInit = { headers: buildHeaders(credentials) };
  return await ofNew(new StreamableHTTPClientTransport(new URL(path, baseUrl), { requestInit }), options);
}

const connectOld = (
  baseUrl: string,
  credentials?: Credentials,
  path = '/mcp',
  options: ConstructorParameters<typeof OldClient>[1] = {},
) =>
  ofOld(
    new OldHttpTransport(new URL(path, baseUrl), { requestInit: { headers: buildHeaders(credentials) } }),
    options,
  );

async function ofNew(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  options: ClientOptions = {},
): Promise<Connected & { client: Client }> {
  const client = new Client(info, { versionNegotiation: { mode: 'auto' }, ...options });
  await client.connect(transport);
  const tools = createToolClient(client as unknown as AnyClient, (call, options) =>
    client.callTool(call, options),
  );
  return {
    client,
    tools,
    answer: (reply) => client.setRequestHandler('elicitation/create', ({ params }) => reply(params.message)),
  };
}

async function ofOld(
  transport: OldHttpTransport | OldStdioTransport,
  options: ConstructorParameters<typeof OldClient>[1] = {},
): Promise<Connected> {
  const client = new OldClient(info, options);
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  const tools = createToolClient(client as unknown as AnyClient, (call, options) =>
    client.callTool(call, undefined, options),
  );
  return {
    tools,
    answer: (reply) => client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message)),
  };
}

/** The methods that the clients of both protocol versions share. */
interface AnyClient {
  listTools(): ReturnType<ToolClient['listTools']>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(request: { uri: string }): Promise<{ contents: { text: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(request: {
    name: string;
    arguments: Record<string, string>;
  }): Promise<{ messages: { content: { text: string } }[] }>;
  close(): Promise<void>;
}

function createToolClient(
  client: AnyClient,
  send: (
    call: { name: string; arguments: Record<string, unknown> },
    options: { onprogress?: (progress: { message?: string | undefined }) => void; timeout: number },
  ) => Promise<unknown>,
): ToolClient {
  return {
    listTools: () => client.listTools(),
    async call(name, args, onProgress) {
      const onprogress = onProgress && {
        onprogress: ({ message }: { message?: string | undefined }) => onProgress(message ?? ''),
      };
      const call = { name, arguments: args as Record<string, unknown> };
      return (await send(call, { ...onprogress, timeout: 200_000 })) as ToolResult;
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => (await client.readResource({ uri })).contents[0]!.text,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) =>
      (await client.getPrompt({ name, arguments: args })).messages[0]!.content.text,
    close: () => client.close(),
  };
}

/** Both protocol versions over both transports. */
export const connections: Record<string, Connect> = {
  'a client of 2026 over HTTP': async (...to) => (await connectNew(...to)).tools,
  'a client of 2025 over HTTP': async (...to) => (await connectOld(...to)).tools,
  'a client of 2026 over stdio': async (baseUrl, credentials) =>
    (await ofNew(new StdioClientTransport(buildStdioOptions(baseUrl, credentials)))).tools,
  'a client of 2025 over stdio': async (baseUrl, credentials) =>
    (await ofOld(new OldStdioTransport(buildStdioOptions(baseUrl, credentials)))).tools,
};

interface Door {
  /** `wallet` is the server of one wallet. */
  server: 'marketplace' | 'wallet';
  /** `true` if the server can ask a client of this protocol version over this transport. */
  canAsk: boolean;
  connect(
    baseUrl: string,
    credentials: Credentials,
    path: string,
    capabilities: ClientCapabilities,
  ): Promise<Connected>;
}

/** All ways in which a model reaches a tool that moves funds. */
export const doors: Record<string, Door> = {
  'a wallet over HTTP': {
    server: 'wallet',
    canAsk: true,
    connect: (url, credentials, path, capabilities) => connectNew(url, credentials, path, { capabilities }),
  },
  'a wallet over HTTP, as clients of 2025 call it': {
    server: 'wallet',
    canAsk: false,
    connect: (url, credentials, path, capabilities) => connectOld(url, credentials, path, { capabilities }),
  },
  'the marketplace over HTTP': {
    server: 'marketplace',
    canAsk: true,
    connect: (url, credentials, path, capabilities) => connectNew(url, credentials, path, { capabilities }),
  },
  'the marketplace over HTTP, as clients of 2025 call it': {
    server: 'marketplace',
    canAsk: false,
    connect: (url, credentials, path, capabilities) => connectOld(url, credentials, path, { capabilities }),
  },
  'the command line': {
    server: 'marketplace',
    canAsk: true,
    connect: (url, credentials, _path, capabilities) =>
      ofNew(new StdioClientTransport(buildStdioOptions(url, credentials)), { capabilities }),
  },
  'the command line, as clients of 2025 call it': {
    server: 'marketplace',
    canAsk: true,
    connect: (url, credentials, _path, capabilities) =>
      ofOld(new OldStdioTransport(buildStdioOptions(url, credentials)), { capabilities }),
  },
};
