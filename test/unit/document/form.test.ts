import { describe, expect, it } from 'vitest'
import {
  entitiesIn,
  type EntityElement,
  kindOfPrefix,
} from '../../../src/document/entities/entities.ts'
import { checkValues } from '../../../src/document/form/form-checks.ts'
import { applyForm } from '../../../src/document/form/form-edits.ts'
import { FORM_KINDS, formOf, type FormShape } from '../../../src/document/form/form-shape.ts'
import {
  type FormRow,
  type FormValues,
  readValues,
  unshownOf,
} from '../../../src/document/form/form-values.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import { realRevisions, validDocuments } from '../../support/documents/config-corpus.ts'
import { EVERYTHING } from '../../support/documents/everything.ts'
import { xmlDocument } from '../../support/documents/xml-documents.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'

const PIPELINE = `<cruise schemaVersion="75">
  <pipelines group="shop">
    <!-- of the shop -->
    <pipeline name="web">
      <timer>0 0 2 * * ?</timer>
      <environmentvariables>
        <variable name="A"><value>one</value></variable>
        <variable name="S" secure="true"><encryptedValue>AES:old</encryptedValue></variable>
      </environmentvariables>
      <materials>
        <git url='a.git'   branch="main" />
      </materials>
      <stage name="build">
        <jobs>
          <job name="first"><!-- stays -->
            <tasks>
              <exec command="make"><arg>all</arg></exec>
              <exec command="test"><oncancel><exec command="stop" /></oncancel></exec>
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
  </pipelines>
</cruise>
`

interface Opened {
  readonly document: XmlDocument
  readonly entity: EntityElement
  readonly shape: FormShape
  readonly values: FormValues
}

function* formsIn(text: string): Generator<Opened> {
  const document = xmlDocument(text)
  for (const kind of FORM_KINDS) {
    const definition = kindOfPrefix(kind)
    for (const entity of definition ? entitiesIn(document.root, definition) : []) {
      const shape = formOf(document.root, kind, entity.element.name)
      if (shape) yield { document, entity, shape, values: readValues(shape, entity.element) }
    }
  }
}

function open(text = PIPELINE): Opened {
  const found = [...formsIn(text)].find(({ entity }) => entity.kind.word === 'pipeline')
  if (!found) throw new Error('no pipeline')
  return found
}

function applied({ document, entity, shape }: Opened, values: FormValues): string {
  return applyForm(document, { shape, element: entity.element }, values)
}

/** The values with another value of the field at a path such as `stage.0.name`. */
function withField(values: FormValues, path: string, value: string): FormValues {
  const [name = '', n, ...rest] = path.split('.')
  const rows = values.lists.get(name)
  const section = values.sections.get(name)
  if (rows) {
    const changed = rows.map((row, at) =>
      at === Number(n)
        ? { kind: row.kind, from: row.from, ...withField(row, rest.join('.'), value) }
        : row,
    )
    return { ...values, lists: new Map([...values.lists, [name, changed]]) }
  }
  if (section) {
    const inner = withField(section, path.slice(name.length + 1), value)
    return { ...values, sections: new Map([...values.sections, [name, inner]]) }
  }
  return { ...values, fields: new Map([...values.fields, [path, value]]) }
}

/** The values with other rows in the list at a path such as `stage.0.jobs`. */
function withRows(
  values: FormValues,
  path: string,
  change: (rows: readonly FormRow[]) => readonly FormRow[],
): FormValues {
  const [name = '', n, ...rest] = path.split('.')
  const rows = values.lists.get(name) ?? []
  const changed =
    n === undefined
      ? change(rows)
      : rows.map((row, at) =>
          at === Number(n)
            ? { kind: row.kind, from: row.from, ...withRows(row, rest.join('.'), change) }
            : row,
        )
  return { ...values, lists: new Map([...values.lists, [name, changed]]) }
}

function newRow(kind: string, fields: Readonly<Record<string, string>>): FormRow {
  const none = { sections: new Map(), lists: new Map() }
  return { kind, from: null, fields: new Map(Object.entries(fields)), ...none }
}

describe('the form of an entity', () => {
  it('changes no byte of a document when nothing is changed', () => {
    const texts = [PIPELINE, EVERYTHING, ...validDocuments(), ...realRevisions(6)]
    let forms = 0
    for (const text of texts) {
      for (const opened of formsIn(text)) {
        forms += 1
        expect(applied(opened, opened.values)).toBe(text)
      }
    }
    expect(forms).toBeGreaterThan(SHARED_DATA === null ? 5 : 500)
  })

  it('writes what was changed, and nothing else', () => {
    const opened = open()
    const renamed = withField(opened.values, 'materials.0.branch', 'next')
    const moved = withField(renamed, 'timer.onlyOnChanges', 'true')
    const longer = withField(moved, 'stage.0.jobs.0.tasks.0.arg.0.text', 'some & more')

    expect(applied(opened, longer)).toBe(
      PIPELINE.replace('"main"', '"next"')
        .replace('<timer>', '<timer onlyOnChanges="true">')
        .replace('>all<', '>some &amp; more<'),
    )
  })

  it('adds a job behind the others', () => {
    const opened = open()
    const job = {
      ...newRow('job', { name: 'second' }),
      lists: new Map([['tasks', [newRow('exec', { command: 'lint' })]]]),
    }

    expect(
      applied(
        opened,
        withRows(opened.values, 'stage.0.jobs', (rows) => [...rows, job]),
      ),
    ).toBe(
      PIPELINE.replace(
        '          </job>\n',
        '          </job>\n          <job name="second">\n            <tasks>\n              <exec command="lint" />\n            </tasks>\n          </job>\n',
      ),
    )
  })

  it('moves a task with what the form does not show of it', () => {
    const opened = open()
    const [first = '', second = ''] =
      PIPELINE.match(/<exec command="(?:make|test)">[^]*?<\/exec>\n/g) ?? []
    const cancelled = second.replace('\n', '')

    const swapped = applied(
      opened,
      withRows(opened.values, 'stage.0.jobs.0.tasks', (rows) => rows.toReversed()),
    )

    expect(first).toContain('all')
    expect(cancelled).toContain('oncancel')
    expect(swapped).toContain(
      '<exec command="test"><oncancel><exec command="stop" /></oncancel></exec>\n              <exec command="make"><arg>all</arg></exec>',
    )
    expect(swapped.length).toBe(PIPELINE.length)
  })

  it('removes rows, and a holder with its last one', () => {
    const opened = open()
    const without = withRows(opened.values, 'environmentvariables', () => [])

    expect(applied(opened, without)).toBe(
      PIPELINE.replace(/ *<environmentvariables>[^]*<\/environmentvariables>\n/, ''),
    )
  })

  it('keeps a sealed value until another is typed, and never shows it', () => {
    const opened = open()
    const { values } = opened

    expect(
      JSON.stringify(
        [...(values.lists.get('environmentvariables') ?? [])].map(({ fields }) => [...fields]),
      ),
    ).not.toContain('AES')
    expect(
      applied(opened, withField(values, 'environmentvariables.1.value.sealed', 'AES:new')),
    ).toBe(PIPELINE.replace('AES:old', 'AES:new'))
  })

  it('names what it does not show', () => {
    const { entity, shape } = open()
    const { comments, elements } = unshownOf(shape, entity.element)

    expect([comments, [...elements]]).toEqual([1, [['oncancel', 1]]])
  })

  it('has the checks of the schema at its fields, for what was typed alone', () => {
    const { entity, shape, values } = open(PIPELINE.replace('name="first"', 'name="a b"'))
    const typed = withField(values, 'stage.0.name', 'x y')
    const added = withRows(typed, 'stage.0.jobs', (rows) => [...rows, newRow('job', { name: '' })])

    expect(checkValues(shape, entity.element, added)).toEqual([
      { path: 'stage.0.name', message: expect.stringContaining('The name must have 1 to 255') },
      { path: 'stage.0.jobs.1.name', message: 'Enter the name' },
    ])
  })
})
