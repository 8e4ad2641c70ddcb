import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildScene } from './build-service.ts'
import { atEnd } from '../programs/at-end.ts'
import { KEY } from '../agents/protocol-agent.ts'
import { freePort } from '../programs/free-port.ts'
import type { Program } from '../programs/program.ts'
import { ADMIN_PASSWORD, callerOf } from '../service/service.ts'
import { start } from '../programs/start.ts'
import { tempDir } from '../disk/temp-folder.ts'

const READY = /^cairn ready (http:\/\/\S+)\n$/

/** Silence after which an agent is lost here: as little as is allowed. */
const LOST_AFTER = '10s'

/** A server and agents as users start them, each in a process of its own. */
export class RealBuilds {
  readonly folder = tempDir()
  #server: Program | null = null
  readonly #stateDir: string
  #url = ''
  #scene: BuildScene | null = null

  private constructor({ stateDir }: { readonly stateDir?: string }) {
    this.#stateDir = stateDir ?? join(this.folder, 'state')
  }

  /** A server that takes agents by their key. */
  static async open({
    flags = [],
    ...places
  }: { readonly stateDir?: string; readonly flags?: readonly string[] } = {}): Promise<RealBuilds> {
    const real = new RealBuilds(places)
    await real.serve(['--port', `${await freePort()}`, ...flags])
    const { folder } = real
    const close = () => real.#kill()
    real.#scene = BuildScene.over({ url: real.#url, folder, close, fetch: callerOf(real.#url) })
    return real
  }

  get scene(): BuildScene {
    if (!this.#scene) throw new Error('nothing is open')
    return this.#scene
  }

  async serve(flags: readonly string[]): Promise<void> {
    const repository = ['--config-repo', join(this.folder, 'config-repo')]
    const places = [...repository, '--local-materials', this.folder, '--state-dir', this.#stateDir]
    const known = ['--admin-password', ADMIN_PASSWORD, '--auto-register-key', KEY]
    const lost = ['--agent-timeout', LOST_AFTER]
    this.#server = start(['serve', ...places, ...known, ...lost, ...flags])
    this.#url = await this.#server.line(READY)
  }

  /** The log of the server. */
  complaints(): string {
    return this.#server?.stderr ?? ''
  }

  /** Kills the server and starts it again at the same address. */
  async killServer(): Promise<void> {
    await this.#kill()
    await this.serve(['--port', new URL(this.#url).port])
  }

  get url(): string {
    return this.#url
  }

  agent(name: string, more: readonly string[] = [], env: Record<string, string> = {}): Program {
    const folder = ['--work-dir', join(this.folder, name), '--hostname', name]
    const server = more.includes('--server') ? [] : ['--server', this.#url]
    const known = [...server, '--auto-register-key', KEY]
    const program = start(['agent', ...known, ...folder, ...more], { env })
    atEnd(async () => {
      program.process.kill('SIGTERM')
      await program.ended()
    })
    return program
  }

  /** Makes the file that scripts wait for. */
  proceed(): void {
    writeFileSync(join(this.folder, 'go'), '')
  }

  async console(job = 'app/1/build/1/unit'): Promise<string> {
    const response = await this.scene.get(`/files/${job}/cruise-output/console.log`)
    return response.ok ? response.text() : ''
  }

  async #kill(): Promise<void> {
    this.#server?.process.kill('SIGKILL')
    await this.#server?.ended()
  }
}
