import { Agent, readAgent } from '../model/environments.ts'
import { Pipeline, readPipeline, readTemplate, Template } from '../model/pipelines.ts'
import { MemberStore } from './member-store.ts'

/** The members of all long lists that were read lately. */
export class MemberStores {
  readonly pipelines = new MemberStore<Pipeline>({
    list: 'pipelines',
    build: (node) => Pipeline.safeParse(readPipeline(node)).data ?? null,
  })
  readonly templates = new MemberStore<Template>({
    list: 'templates',
    build: (node) => Template.safeParse(readTemplate(node)).data ?? null,
  })
  readonly agents = new MemberStore<Agent>({
    list: 'agents',
    build: (node) => Agent.safeParse(readAgent(node)).data ?? null,
  })

  /** Begins the reading of a document. */
  beginRound(): void {
    for (const store of [this.pipelines, this.templates, this.agents]) store.beginRound()
  }
}
