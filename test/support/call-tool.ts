/** Calls a tool of the general MCP server of a gateway. @returns its structured content */
export async function callTool(url: string, name: string, args: object) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const [, data] = /^data: (.*)$/m.exec(await response.text())!;
  return JSON.parse(data!).result.structuredContent;
}
