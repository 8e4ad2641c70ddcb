import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { tempDir } from '../disk/temp-folder.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Another build of the program, with a part of its code replaced; returns the file that is run. */
export function otherProgram(part: RegExp, replacement: string): string {
  const folder = tempDir()
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'dist', '.built'), replacement)
  const parts = join(folder, 'dist', 'parts')
  const changed = readdirSync(parts).filter((name) => {
    const text = readFileSync(join(parts, name), 'utf8')
    const next = text.replace(part, replacement)
    if (next !== text) writeFileSync(join(parts, name), next)
    return next !== text
  })
  expect(changed).toHaveLength(1)
  return join(folder, 'dist', 'main.js')
}
