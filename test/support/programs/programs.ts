import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestTagDefinition } from 'vitest/config'
import programs from './programs.json' with { type: 'json' }

/** Where Debian keeps the programs of PostgreSQL, outside of the PATH. */
const POSTGRESQL = '/usr/lib/postgresql'

/** A program beside Node and git that some tests need. */
export interface Program {
  /** The tag of the suites that need it. */
  readonly name: string
  /** The commands that show that it is installed. */
  readonly commands: readonly string[]
  /** The package of Debian that has it. */
  readonly package: string
}

export const PROGRAMS: readonly Program[] = Object.entries(programs).map(([name, program]) => ({
  name,
  ...program,
}))

/** The file of a command, or null where it is not installed. */
export function findCommand(command: string): string | null {
  const files = folders().map((folder) => join(folder, command))
  return files.find(isExecutable) ?? null
}

/** The programs that are not installed here. */
export function missingPrograms(): Program[] {
  return PROGRAMS.filter(({ commands }) =>
    commands.some((command) => findCommand(command) === null),
  )
}

/** A tag for each program: a suite with it is skipped where the program is missing. */
export function programTags(missing: readonly Program[]): TestTagDefinition[] {
  return PROGRAMS.map((program) => ({
    name: program.name,
    description: `needs ${program.commands.join(', ')}`,
    ...(missing.includes(program) ? { skip: true } : {}),
  }))
}

function folders(): string[] {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  if (!existsSync(POSTGRESQL)) return path
  return [...path, ...readdirSync(POSTGRESQL).map((version) => join(POSTGRESQL, version, 'bin'))]
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
