import { z } from 'zod'
import { deployed } from './root-file.ts'

const Words = z.array(z.string())

/** The arguments that a container of the image runs the program with. */
export function imageCommand(): readonly string[] {
  const [command = ''] = /(?<=^CMD ).*$/m.exec(deployed('Dockerfile')) ?? []
  return Words.parse(JSON.parse(command))
}

/** The variables that the image sets. */
export function imageVariables(): Readonly<Record<string, string>> {
  const [variables = ''] = /(?<=^ENV ).*$/m.exec(deployed('Dockerfile')) ?? []
  return Object.fromEntries(variables.split(' ').map((pair) => pair.split('=')))
}
