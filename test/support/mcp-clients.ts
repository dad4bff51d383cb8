import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

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

/** A client of one protocol over one transport, as its programs use it. */
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

type Connect = (baseUrl: string, credentials?: Credentials, path?: string) => Promise<ToolClient>;

const info = { name: 'test', version: '1.0.0' };
const headersOf = ({ apiKey, token }: Credentials = {}) => ({
  ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});
const stdioOf = (baseUrl: string, { apiKey, token }: Credentials = {}) => ({
  command: process.execPath,
  args: [program, 'mcp', '--url', baseUrl],
  env: {
    PATH: process.env.PATH ?? '',
    ...(apiKey !== undefined && { MARKETPLACE_API_KEY: apiKey }),
    ...(token !== undefined && { MARKETPLACE_EXECUTOR_KEY: token }),
  },
});

/** A client of the protocol of 2026. It is notified when a list changes, if it listens. */
export async function connectNew(
  baseUrl: string,
  credentials?: Credentials,
  path = '/mcp',
  options: ClientOptions = {},
): Promise<{ client: Client; tools: ToolClient }> {
  const requestInit = { headers: headersOf(credentials) };
  return await ofNew(new StreamableHTTPClientTransport(new URL(path, baseUrl), { requestInit }), options);
}

async function ofNew(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  options: ClientOptions = {},
): Promise<{ client: Client; tools: ToolClient }> {
  const client = new Client(info, { versionNegotiation: { mode: 'auto' }, ...options });
  await client.connect(transport);
  const tools = toolsOf(client as unknown as AnyClient, (call, options) => client.callTool(call, options));
  return { client, tools };
}

async function ofOld(transport: OldHttpTransport | OldStdioTransport): Promise<ToolClient> {
  const client = new OldClient(info);
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  return toolsOf(client as unknown as AnyClient, (call, options) =>
    client.callTool(call, undefined, options),
  );
}

/** What both have alike. */
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

function toolsOf(
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

/** Both protocols over both transports. */
export const connections: Record<string, Connect> = {
  'a client of 2026 over HTTP': async (...to) => (await connectNew(...to)).tools,
  'a client of 2025 over HTTP': (baseUrl, credentials, path = '/mcp') =>
    ofOld(new OldHttpTransport(new URL(path, baseUrl), { requestInit: { headers: headersOf(credentials) } })),
  'a client of 2026 over stdio': async (baseUrl, credentials) =>
    (await ofNew(new StdioClientTransport(stdioOf(baseUrl, credentials)))).tools,
  'a client of 2025 over stdio': (baseUrl, credentials) =>
    ofOld(new OldStdioTransport(stdioOf(baseUrl, credentials))),
};
