/** The people who can log in, by their duties in the document below. */
export const PEOPLE = [
  'root',
  'rick',
  'ann',
  'abe',
  'paul',
  'pete',
  'pia',
  'pam',
  'sue',
  'will',
  'tess',
  'vic',
] as const
export type Person = (typeof PEOPLE)[number]

const STAGE = `      <stage name="build">
        <jobs>
          <job name="unit">
            <tasks>
              <exec command="make">
                <arg>TARGET</arg>
              </exec>
            </tasks>
          </job>
        </jobs>
      </stage>
`

function stage(target: string): string {
  return STAGE.replace('TARGET', target)
}

function role(name: string, users: readonly string[]): string {
  const members = users.map((user) => `            <user>${user}</user>\n`).join('')
  return `        <role name="${name}">\n          <users>\n${members}          </users>\n        </role>\n`
}

function plugged(element: string, name: string, inner = ''): string {
  return `    <${element} id="${name}" name="${name}">
      <pluginConfiguration id="plugin" version="1" />
      <configuration>
        <property>
          <key>url</key>
          <value>${name}</value>
        </property>
      </configuration>
${inner}    </${element}>
`
}

/**
 * A guarded group `pay` with two pipelines and all that they are made of, and a group `web` that nothing
 * guards.
 */
export const GUARDED = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="139">
  <server artifactsdir="artifacts">
    <security>
      <passwordFile path="/users" />
      <roles>
${role('payers', ['paul', 'pete', 'pia', 'pam'])}${role('security', ['sue'])}      </roles>
      <admins>
        <user>root</user>
        <user>rick</user>
      </admins>
    </security>
  </server>
  <elastic>
    <agentProfiles>
      <agentProfile id="small" clusterProfileId="swarm">
        <property>
          <key>image</key>
          <value>alpine</value>
        </property>
      </agentProfile>
    </agentProfiles>
    <clusterProfiles>
      <clusterProfile id="swarm" pluginId="swarm-plugin">
        <property>
          <key>address</key>
          <value>https://swarm.example.org</value>
        </property>
      </clusterProfile>
    </clusterProfiles>
  </elastic>
  <secretConfigs>
    <secretConfig id="vault" pluginId="file">
      <description>Secrets</description>
      <rules>
        <allow action="refer" type="pipeline_group">*</allow>
      </rules>
    </secretConfig>
  </secretConfigs>
  <repositories>
${plugged(
  'repository',
  'packages',
  `      <packages>
        <package id="package" name="package">
          <configuration>
            <property>
              <key>name</key>
              <value>package</value>
            </property>
          </configuration>
        </package>
      </packages>
`,
)}  </repositories>
  <scms>
${plugged('scm', 'plugged')}  </scms>
  <pipelines group="pay">
    <authorization>
      <view>
        <user>vic</user>
        <user>will</user>
      </view>
      <admins>
        <user>ann</user>
        <user>abe</user>
        <role>payers</role>
      </admins>
    </authorization>
    <pipeline name="bill">
      <params>
        <param name="source">bill</param>
        <param name="goal">all</param>
      </params>
      <environmentvariables>
        <variable name="TOKEN">
          <value>{{SECRET:[vault][token]}}</value>
        </variable>
      </environmentvariables>
      <materials>
        <git url="https://example.org/#{source}.git" dest="git" />
        <package ref="package" />
        <scm ref="plugged" dest="scm" />
      </materials>
${stage('#{goal}')
  .replace('<job name="unit">', '<job name="unit" elasticProfileId="small">')
  .replace(
    '            </tasks>\n',
    '            </tasks>\n            <artifacts>\n              <artifact type="build" src="out" />\n            </artifacts>\n',
  )}    </pipeline>
    <pipeline name="ship" template="deploy">
      <materials>
        <git url="https://example.org/ship.git" />
      </materials>
    </pipeline>
  </pipelines>
  <pipelines group="web">
    <authorization>
      <view>
        <user>vic</user>
      </view>
      <admins>
        <user>will</user>
        <user>abe</user>
      </admins>
    </authorization>
    <pipeline name="shop">
      <materials>
        <git url="https://example.org/shop.git" />
      </materials>
${stage('shop')}    </pipeline>
    <pipeline name="site" template="deploy">
      <materials>
        <git url="https://example.org/site.git" />
      </materials>
    </pipeline>
  </pipelines>
  <templates>
    <pipeline name="deploy">
      <authorization>
        <admins>
          <user>tess</user>
        </admins>
      </authorization>
${stage('deploy')}    </pipeline>
    <pipeline name="other">
${stage('other')}    </pipeline>
  </templates>
  <environments>
    <environment name="live">
      <environmentvariables>
        <variable name="REGION">
          <value>eu</value>
        </variable>
      </environmentvariables>
      <pipelines>
        <pipeline name="ship" />
      </pipelines>
    </environment>
    <environment name="test">
      <pipelines>
        <pipeline name="shop" />
      </pipelines>
    </environment>
  </environments>
  <agents>
    <agent hostname="box" ipaddress="127.0.0.1" uuid="u1" />
  </agents>
</cruise>
`

/** The document with one place replaced; a place that is not there is a fault of the test. */
export function edited(from: string | RegExp, to: string, document = GUARDED): string {
  const text = document.replace(from, () => to)
  if (text === document) throw new Error(`Nothing is ${String(from)}`)
  return text
}

/** The text of a pipeline, in whole lines. */
export function pipelineText(name: string, document = GUARDED): string {
  const text = new RegExp(`    <pipeline name="${name}"[^]*?</pipeline>\n`).exec(document)?.[0]
  if (text === undefined) throw new Error(`There is no pipeline ${name}`)
  return text
}

/** The change that most ways try: another goal of the guarded pipeline. */
export const OTHER_GOAL = edited('<param name="goal">all<', '<param name="goal">steal<')

/** Every change of the guarded group needs an approval by another one of its administrators. */
export const TWO_EYES = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/pay, pipeline in group/pay] }
    need: [{ approvals: 1, of: admins of the group }]
    not: [author, contributor]
`

/** The parts of a document that rules guard, and what the guarded pipelines are made of. */
export function guardedParts(document: string): string {
  const [whole = ''] = /  <elastic>[^]*?(?=  <pipelines group="web">)/.exec(document) ?? []
  const [templates = ''] = /  <templates>[^]*?<\/environment>/.exec(document) ?? []
  return whole + templates
}
