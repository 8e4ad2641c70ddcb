import { expect, it } from 'vitest'
import { summariseChanges } from '../../../../src/document/changes/summarise-changes.ts'
import type { ConfigDocument } from '../../../../src/document/document.ts'
import { IncrementalReader } from '../../../../src/document/incremental/incremental-reader.ts'
import { childElements } from '../../../../src/document/xml/xml-elements.ts'
import type { XmlElement } from '../../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'
import { aConfigurationInBytes, git } from '../../../support/documents/a-configuration.ts'

const NAMES = ['one', 'two', 'three']

async function read(reader: IncrementalReader, host: string): Promise<ConfigDocument> {
  const pipelines = NAMES.map((name) => ({ name, materials: [git(`https://${host}/${name}.git`)] }))
  const document = await reader.read(aConfigurationInBytes({ pipelines }))
  if (!document) throw new Error('the document is not valid')
  return document
}

function pipelinesOf({ root }: ConfigDocument): readonly XmlElement[] {
  return childElements(root)
    .filter(({ name }) => name === 'pipelines')
    .flatMap(childElements)
}

/** Notes the elements whose insides are read. */
function noteReads(element: XmlElement, seen: XmlElement[]): void {
  const proto: object = Object.getPrototypeOf(element)
  Object.defineProperty(element, 'children', {
    get: () => {
      seen.push(element)
      return Reflect.get(proto, 'children', element)
    },
  })
}

it('leaves the pipelines of both documents without the trees that it reads of them', async () => {
  const reader = new IncrementalReader()
  const [before, after] = [await read(reader, 'a.example.com'), await read(reader, 'b.example.com')]
  const seen: XmlElement[] = []
  for (const pipeline of [before, after].flatMap(pipelinesOf)) noteReads(pipeline, seen)

  const changes = runSync(summariseChanges(before, after))

  expect(changes.map(({ entity }) => entity)).toEqual(NAMES.map((name) => `pipeline/${name}`))
  expect(seen).toEqual([])
})
