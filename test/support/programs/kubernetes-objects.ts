import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { tempDir } from '../disk/temp-folder.ts'
import { rootFile } from './root-file.ts'

const KubernetesObject = z.looseObject({ apiVersion: z.string(), kind: z.string() })

/**
 * Faults of objects according to the types of the Kubernetes API, as the compiler words them:
 * unknown or missing fields, and values of another type. Empty when there are none.
 */
export function wrongInKubernetesObjects(objects: readonly unknown[]): string {
  const file = join(tempDir(), 'objects.ts')
  writeFileSync(file, objects.map(declarationOf).join('\n'))
  const compiler = rootFile('node_modules/typescript/bin/tsc')
  // The types themselves are not in question.
  const flags = [
    '--noEmit',
    '--strict',
    '--ignoreConfig',
    '--skipLibCheck',
    '--lib',
    'es2022',
    '--types',
    '',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...flags, file], {
    encoding: 'utf8',
  })
  return `${stdout}${stderr}`
}

function declarationOf(object: unknown, n: number): string {
  const { apiVersion, kind } = KubernetesObject.parse(object)
  const group = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`
  const types = rootFile(`node_modules/kubernetes-types/${group}.d.ts`)
  const type = `import(${JSON.stringify(types)}).${kind}`
  return `export const object${n}: ${type} = ${JSON.stringify(object, null, 2)}`
}
