import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../disk/temp-folder.ts'
import { command } from '../programs/command.ts'
import type { Ended } from '../programs/program.ts'
import { ADMIN_PASSWORD, type TestService } from './service.ts'

/** Runs the commands that ask a server, as one of its users. */
export class ClientCommands {
  readonly folder = tempDir()
  readonly #flags: readonly string[]

  constructor(service: Pick<TestService, 'url'>, as = `admin:${ADMIN_PASSWORD}`) {
    const [user = '', password = ''] = as.split(':')
    const file = this.file('password', `${password}\n`)
    this.#flags = ['--server', service.url, '--user', user, '--password-file', file]
  }

  run(...args: readonly string[]): Promise<Ended> {
    return command([...args, ...this.#flags])
  }

  /** The lines that a command prints where it succeeds. */
  async lines(...args: readonly string[]): Promise<readonly string[]> {
    const { code, stdout, stderr } = await this.run(...args)
    if (code !== 0 && code !== 4) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
    return stdout.replace(/\n$/, '').split('\n')
  }

  /** Writes a file, and gives its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    return path
  }
}
