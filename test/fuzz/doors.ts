import type { Door } from './door.ts';
import { openGraphDoor } from './graph.ts';
import type { Host } from './host.ts';
import { openMcpDoor } from './mcp.ts';
import { openPagesDoor } from './pages.ts';
import { openReadersDoor } from './readers.ts';
import { openRestDoor } from './rest.ts';
import { openSocketsDoor } from './sockets.ts';
import { openSqlDoor } from './sql.ts';

/** Opens every door of a host. */
export async function openDoors(host: Host): Promise<Door[]> {
  const doors = [
    await openRestDoor(host),
    await openGraphDoor(host),
    await openMcpDoor(host),
    await openSqlDoor(host),
    openPagesDoor(host),
    openSocketsDoor(host),
    openReadersDoor(host),
  ];
  return doors.filter((door) => door !== undefined) as Door[];
}
