import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { hostname, release, type } from 'node:os'
import type { AgentDescription } from '../../wire/agent/registration.ts'

export interface MachineOptions {
  readonly server: string
  readonly sandbox: string
  readonly instance: string
  readonly version: string
  /** Replaces the machine's own name. */
  readonly hostname: string | null
}

/** Describes the agent and its machine. */
export class Machine {
  readonly #options: MachineOptions
  #address = '127.0.0.1'

  constructor(options: MachineOptions) {
    this.#options = options
  }

  /**
   * The current description, with the last known address while the address cannot be determined.
   */
  async describe(): Promise<AgentDescription> {
    const { instance, sandbox, version, server } = this.#options
    this.#address = (await findAddress(server)) ?? this.#address
    return {
      instance,
      hostname: this.#options.hostname ?? hostname(),
      ipAddress: this.#address,
      sandbox,
      operatingSystem: `${type()} ${release()}`,
      freeSpace: await findFreeSpace(sandbox),
      version,
    }
  }
}

/** The local address of connections to the server. Sends nothing. */
async function findAddress(server: string): Promise<string | null> {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '')
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.connect(9, host)
    await once(socket, 'connect')
    return socket.address().address
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return null
  } finally {
    socket.close()
  }
}

async function findFreeSpace(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return null
  }
}
