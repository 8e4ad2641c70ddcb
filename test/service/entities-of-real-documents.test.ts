// @module-tag long
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { digestOf } from '../../src/core/digest.ts'
import { entityText, findEntity } from '../../src/document/edit/entity-edits.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  type EntityElement,
} from '../../src/document/entities/entities.ts'
import { childElements } from '../../src/document/xml/xml-elements.ts'
import type { XmlElement } from '../../src/document/xml/xml-tree.ts'
import { Picks } from '../property/document/merge-edits.ts'
import { realRevisions, validDocuments } from '../support/documents/config-corpus.ts'
import { xmlDocument } from '../support/documents/xml-documents.ts'
import { git } from '../support/git/git.ts'
import { headIn } from '../support/history/whole-repository.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { casesOf } from '../support/programs/all-cases.ts'

const ANY = { 'if-match': '*' }
/** Entities of one document that are tried. */
const TRIED = casesOf({ all: 12, mostly: 6 })

/** The first and the last line of an entity in a text, from 1. */
type Lines = readonly [first: number, last: number]

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function pathOf({ kind, name }: EntityElement): string {
  const place = kind.by === '-' ? kind.prefix : `${kind.prefix}/${encodeURIComponent(name)}`
  return `/api/config/entities/${place}`
}

function linesOf(text: string, entity: EntityElement): Lines {
  const { lines } = xmlDocument(text)
  const { start, end } = found(text, entity).element.span
  return [lines.positionOf(start).line, lines.positionOf(end - 1).line]
}

function range(start = '0', count = '1'): Lines[] {
  return count === '0' ? [] : [[Number(start), Number(start) + Number(count) - 1]]
}

/** The lines that the newest commit removed and added, each as a range; an empty one is left out. */
function changedLines(service: CalledService): {
  readonly removed: Lines[]
  readonly added: Lines[]
} {
  const diff = git(service.repository, 'diff', '--unified=0', 'HEAD~1', 'HEAD')
  const hunks = [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)]
  return {
    removed: hunks.flatMap(([, start, count]) => range(start, count)),
    added: hunks.flatMap(([, , , start, count]) => range(start, count)),
  }
}

function isWithin(ranges: readonly Lines[], [first, last]: Lines): boolean {
  return ranges.every(([from, to]) => from >= first && to <= last)
}

/** Entities that are the only ones of their names, spread over the document. */
function triedIn(text: string): EntityElement[] {
  const { root } = xmlDocument(text)
  const all = ENTITY_KINDS.flatMap((kind) => entitiesIn(root, kind))
  const own = all.filter(({ kind, name, element }) => {
    return findEntity(root, { kind: kind.prefix, name })?.element === element
  })
  const step = Math.max(1, Math.floor(own.length / TRIED))
  return own.filter((_, n) => n % step === 0)
}

/** The faults of putting, changing, deleting and bringing back one entity; none when all is right. */
async function faultsOf(service: CalledService, entity: EntityElement): Promise<string[]> {
  const path = pathOf(entity)
  const faults: string[] = []
  const before = await currentOf(service)
  const head = await headIn(service.repository)
  const text = await (await service.fetch(path)).text()
  if (text !== entityText({ source: before }, found(before, entity)))
    faults.push('reads another text')

  const same = await service.fetch(path, { method: 'PUT', headers: ANY, body: text })
  if (same.status !== 200 || (await headIn(service.repository)) !== head)
    faults.push('commits what is there')

  const lines = linesOf(before, entity)
  const body = text.replace(/^<[^>]*[^/]>/, (tag) => `${tag}<!-- a comment -->`)
  const put = await service.fetch(path, { method: 'PUT', headers: ANY, body })
  if (put.status !== 200) faults.push(`cannot be changed: ${put.status} ${await put.text()}`)
  const after = await currentOf(service)
  if (body !== text) {
    const { removed, added } = changedLines(service)
    if (!isWithin(removed, lines)) faults.push('the change removes other lines')
    if (!isWithin(added, linesOf(after, entity))) faults.push('the change adds other lines')
  }
  return [...faults, ...(await faultsOfDeleting(service, entity, head))]
}

function found(text: string, { kind, name }: EntityElement): EntityElement {
  const entity = findEntity(xmlDocument(text).root, { kind: kind.prefix, name })
  if (!entity) throw new Error(`no ${kind.prefix} ${name}`)
  return entity
}

async function faultsOfDeleting(
  service: CalledService,
  entity: EntityElement,
  head: string,
): Promise<string[]> {
  const faults: string[] = []
  const text = await currentOf(service)
  const gone = await service.fetch(pathOf(entity), { method: 'DELETE', headers: ANY })
  if (gone.status === 200) {
    const isRight = textsWithout(text, found(text, entity)).includes(await currentOf(service))
    if (!isRight) faults.push('the removal changes other lines')
  } else if (gone.status !== 422) faults.push(`cannot be removed: ${gone.status}`)
  const back = await service.fetch(`/api/config/revisions/${head}/restore`, { method: 'POST' })
  if (back.status !== 200) faults.push(`cannot be brought back: ${await back.text()}`)
  return faults
}

/** A text without an element or its list: without their lines where nothing else is on them. */
function textsWithout(text: string, { element }: EntityElement): string[] {
  return [element, element.parent ?? element].flatMap(({ span: { start, end } }) => {
    const line = text.slice(0, start).replace(/[ \t]*$/, '')
    const rest = text.slice(end).replace(/^[ \t]*/, '')
    const alone = /[\r\n]$/.test(line) ? [line.replace(/\r?\n$|\r$/, '') + rest] : []
    return [...alone, text.slice(0, start) + text.slice(end)]
  })
}

/** An entity with a random part of it changed, taken away, or there twice. */
function randomly(text: string, picks: Picks): string {
  const { root } = xmlDocument(text)
  const all = [root, ...descendants(root)]
  const { span, attributes } = picks.of(all) ?? root
  const attribute = picks.of([...attributes.values()])
  const own = text.slice(span.start, span.end)
  switch (picks.below(4)) {
    case 0:
      return attribute === undefined || span === root.span
        ? text
        : `${text.slice(0, attribute.valueSpan.start)}x${picks.below(9)}${text.slice(attribute.valueSpan.end)}`
    case 1:
      return span === root.span ? text : text.slice(0, span.start) + text.slice(span.end)
    case 2:
      return span === root.span ? text : text.slice(0, span.end) + own + text.slice(span.end)
    default:
      return text.replace(/(?<=^<[^>]*[^/])>/, ' unknown="1">')
  }
}

function descendants(element: XmlElement): XmlElement[] {
  return childElements(element).flatMap((child) => [child, ...descendants(child)])
}

const Refusal = z.object({ message: z.string().min(1) })
const Listed = z.tuple([z.object({ number: z.number() })]).rest(z.unknown())

/** The faults of a change that is made or refused, and undone where it was made. */
async function faultsOfChange(
  service: CalledService,
  entity: EntityElement,
  change: { readonly method: string; readonly body?: string },
): Promise<string[]> {
  const faults: string[] = []
  const [before, head] = [await currentOf(service), await headIn(service.repository)]
  const answer = await service.fetch(pathOf(entity), { ...change, headers: ANY })
  const told = await answer.text()
  if ((await headIn(service.repository)) === head) {
    const isRefusal =
      [400, 422].includes(answer.status) && Refusal.safeParse(JSON.parse(told)).success
    return answer.status === 200 || isRefusal
      ? []
      : [`${change.method} is ${answer.status} ${told}`]
  }
  const after = await currentOf(service)
  if (change.method === 'PUT') {
    const { removed, added } = changedLines(service)
    if (!isWithin(removed, linesOf(before, entity))) faults.push('PUT removes other lines')
    if (!isWithin(added, linesOf(after, entity))) faults.push('PUT adds other lines')
  }
  const [{ number }] = Listed.parse(await (await service.fetch('/api/config/revisions')).json())
  const body = new URLSearchParams({ basedOn: digestOf(Buffer.from(after)), reason: 'a test' })
  const undone = await service.fetch(`/config/r${number}/undo`, { method: 'POST', body })
  if (undone.status !== 303) faults.push(`undoing ${change.method} is ${undone.status}`)
  else if ((await currentOf(service)) !== before)
    faults.push(`undoing ${change.method} changes more`)
  return faults
}

describe.skipIf(SHARED_DATA === null)('entities of real documents (shared data)', () => {
  it(
    'are put, changed, removed and brought back without another line',
    { timeout: 240_000 },
    async () => {
      const documents = [...realRevisions(3), ...validDocuments().slice(0, 25)]
      const faults: string[] = []
      let tried = 0
      for (const document of documents) {
        const service = await openService()
        if ((await save(service, document)).status !== 200) continue
        for (const entity of triedIn(await currentOf(service))) {
          tried += 1
          const own = await faultsOf(service, entity)
          faults.push(...own.map((fault) => `${pathOf(entity)}: ${fault}`))
        }
        await service.close()
      }

      expect(faults).toEqual([])
      expect(tried).toBeGreaterThan(100)
    },
  )

  it(
    'are changed at random, removed and undone, or one clear refusal says why not',
    { timeout: 240_000 },
    async () => {
      const documents = [...realRevisions(2), ...validDocuments().slice(25, 45)]
      const picks = new Picks(45)
      const faults: string[] = []
      let made = 0
      for (const document of documents) {
        const service = await openService()
        if ((await save(service, document)).status !== 200) continue
        const first = await headIn(service.repository)
        for (const entity of triedIn(await currentOf(service))) {
          const text = await (await service.fetch(pathOf(entity))).text()
          const puts = [1, 2].map(() => ({ method: 'PUT', body: randomly(text, picks) }))
          for (const change of [...puts, { method: 'DELETE' }]) {
            const own = await faultsOfChange(service, entity, change)
            faults.push(...own.map((fault) => `${pathOf(entity)}: ${fault}`))
          }
        }
        made += Number(git(service.repository, 'rev-list', '--count', `${first}..HEAD`)) / 2
        await service.close()
      }

      expect(faults).toEqual([])
      expect(made).toBeGreaterThan(50)
    },
  )
})
