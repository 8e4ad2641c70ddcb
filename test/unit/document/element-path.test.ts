import { describe, expect, it } from 'vitest'
import { pathOf } from '../../../src/document/xml/element-path.ts'
import { elementsAt } from '../../../src/document/xml/xml-elements.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

function pathsAt(text: string, path: string): string[] {
  const reading = runSync(readXml(new TextEncoder().encode(text)))
  if (!reading.ok) throw new Error('not well-formed')
  return elementsAt(reading.root, path).map(pathOf)
}

describe('the path of an element', () => {
  const pipelines =
    '<pipelines group="g"><authorization><view/></authorization><pipeline name="p"><materials><pipeline pipelineName="up"/></materials><stage name="s"><jobs><job name="j"><tasks><exec/></tasks></job></jobs></stage></pipeline></pipelines>'
  const rest =
    '<server><security><roles><role name="r"/></roles></security></server><templates><pipeline name="t"><stage name="s"/></pipeline></templates><environments><environment name="e"><pipelines><pipeline name="p"/></pipelines></environment></environments><agents><agent uuid="u" hostname="h"/></agents>'
  const text = `<cruise>${pipelines}${rest}</cruise>`

  it.each([
    ['pipelines', 'group "g"'],
    ['pipelines/authorization/view', 'group "g" › authorization › view'],
    ['pipelines/pipeline/materials', 'pipeline "p" › materials'],
    ['pipelines/pipeline/materials/pipeline', 'pipeline "p" › upstream pipeline "up"'],
    ['pipelines/pipeline/stage/jobs/job', 'pipeline "p" › stage "s" › job "j"'],
    ['pipelines/pipeline/stage/jobs/job/tasks/exec', 'pipeline "p" › stage "s" › job "j" › exec'],
    ['server/security/roles/role', 'server › security › role "r"'],
    ['templates/pipeline/stage', 'template "t" › stage "s"'],
    ['environments/environment/pipelines/pipeline', 'environment "e" › pipeline "p"'],
    ['agents/agent', 'agent "u"'],
  ])('at %s is %s', (path, told) => {
    expect(pathsAt(text, path)).toEqual([told])
  })

  it('is on one line and not longer than it is useful', () => {
    const [told = ''] = pathsAt(
      `<cruise><agent uuid="${'x'.repeat(500)}&#10;y"/></cruise>`,
      'agent',
    )

    expect(told).toBe(`agent "${'x'.repeat(80)}…"`)
  })
})
