const PROPERTY =
  '<property><key secure="false">k</key><value>v</value></property><property><key>s</key><encryptedValue>AES:b3Bh:cXVl</encryptedValue></property>'
const CONFIGURATION = `<configuration>${PROPERTY}</configuration>`
const PLUGIN = '<pluginConfiguration id="other" version="1" />'
const IGNORE = '<filter><ignore pattern="doc/**" /></filter>'
const GRANTS = '<user>ana</user><role>ops</role>'
const LOGIN = 'username="n" password="" encryptedPassword="AES:b3Bh:cXVl"'
const POLICY = '<allow action="view" type="all">*</allow><deny action="view" type="all">x</deny>'
const BUILD = 'buildfile="b" target="t" workingdir="w"'

function materialOf(name: string): string {
  return `dest="${name}" materialName="${name}" autoUpdate="true" invertFilter="false"`
}

/** A document with each element and attribute that any version of the schema has. */
export const EVERYTHING = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="139">
  <server artifactsdir="artifacts" commandRepositoryLocation="default" serverId="one" siteUrl="http://ci.example.org"
      secureSiteUrl="https://ci.example.org" purgeStart="5" purgeUpto="10" jobTimeout="60" agentAutoRegisterKey="key"
      webhookSecret="w" tokenGenerationKey="t">
    <security anonymous="true" allowOnlyKnownUsersToLogin="true">
      <authConfigs>
        <authConfig id="a" pluginId="p" allowOnlyKnownUsersToLogin="true">${PROPERTY}</authConfig>
      </authConfigs>
      <ldap uri="ldap://h" managerDn="d" managerPassword="" encryptedManagerPassword="AES:b3Bh:cXVl" searchFilter="f" searchBase="b">
        <bases><base value="v" /></bases>
      </ldap>
      <passwordFile path="/etc/passwd.properties" />
      <luau><url /></luau>
      <roles>
        <role name="ops">
          <users><user>ben</user></users>
          <policy>${POLICY}</policy>
          <user>cleo</user>
          <groups><luauGroup /></groups>
        </role>
        <pluginRole name="ext" authConfigId="a"><policy>${POLICY}</policy>${PROPERTY}</pluginRole>
      </roles>
      <admins>${GRANTS}</admins>
    </security>
    <mailhost hostname="m" port="25" tls="false" from="a@b" admin="a@b" username="u" password="" encryptedPassword="AES:b3Bh:cXVl" />
    <license user="u">l</license>
    <known-servers><server /></known-servers>
    <backup schedule="0 0 2 * * ?" postBackupScript="s" emailOnSuccess="true" emailOnFailure="true" />
    <siteUrls><siteUrl>http://ci.example.org</siteUrl><secureSiteUrl>https://ci.example.org</secureSiteUrl></siteUrls>
    <artifacts>
      <artifactsDir>artifacts</artifactsDir>
      <purgeSettings><purgeStartDiskSpace>5</purgeStartDiskSpace><purgeUptoDiskSpace>10</purgeUptoDiskSpace></purgeSettings>
    </artifacts>
    <elastic jobStarvationTimeout="1">
      <profiles><profile id="older" pluginId="p" clusterProfileId="c">${PROPERTY}</profile></profiles>
    </elastic>
  </server>
  <elastic jobStarvationTimeout="1">
    <profiles><profile id="old" pluginId="p" clusterProfileId="c">${PROPERTY}</profile></profiles>
    <clusterProfiles><clusterProfile id="c" pluginId="p">${PROPERTY}</clusterProfile></clusterProfiles>
    <agentProfiles><agentProfile id="new" clusterProfileId="c" pluginId="p">${PROPERTY}</agentProfile></agentProfiles>
  </elastic>
  <repositories>
    <repository id="r" name="r">
      ${PLUGIN}${CONFIGURATION}
      <packages><package id="package" name="n" autoUpdate="true">${CONFIGURATION}</package></packages>
    </repository>
  </repositories>
  <scms><scm id="scm" name="s" autoUpdate="true">${PLUGIN}${CONFIGURATION}</scm></scms>
  <config-repos>
    <config-repo id="c1" pluginId="p">
      <svn url="u" checkexternals="false" ${LOGIN} ${materialOf('svn')}>${IGNORE}</svn>
      ${CONFIGURATION}
      <rules>${POLICY}</rules>
    </config-repo>
    <config-repo id="c2" plugin="p"><p4 port="h:1" useTickets="false" ${LOGIN} ${materialOf('p4')}><view>v</view>${IGNORE}</p4></config-repo>
    <config-repo id="c3" pluginId="p"><git url="u" branch="b" shallowClone="true" ${LOGIN} ${materialOf('git')}>${IGNORE}</git></config-repo>
    <config-repo id="c4" pluginId="p"><hg url="u" branch="b" ${LOGIN} ${materialOf('hg')}>${IGNORE}</hg></config-repo>
    <config-repo id="c5" pluginId="p"><tfs url="u" projectPath="p" domain="d" ${LOGIN} ${materialOf('tfs')}>${IGNORE}</tfs></config-repo>
    <config-repo id="c6" pluginId="p"><scm ref="scm" dest="d">${IGNORE}</scm></config-repo>
  </config-repos>
  <artifactStores><artifactStore id="store" pluginId="p">${PROPERTY}</artifactStore></artifactStores>
  <secretConfigs>
    <secretConfig id="vault" pluginId="p"><description>d</description>${CONFIGURATION}<rules>${POLICY}</rules></secretConfig>
  </secretConfigs>
  <pipelines group="g">
    <authorization><view>${GRANTS}</view><operate>${GRANTS}</operate><admins>${GRANTS}</admins></authorization>
    <pipeline name="up" labeltemplate="\${COUNT}" isLocked="false" lockBehavior="none" template="t">
      <params><param name="x">y</param></params>
      <trackingtool link="http://t/\${ID}" regex="(\\d+)" />
      <mingle baseUrl="https://m" projectIdentifier="p"><mqlGroupingConditions>c</mqlGroupingConditions></mingle>
      <timer onlyOnChanges="true">0 0 2 * * ?</timer>
      <environmentvariables>
        <variable name="PLAIN" secure="false"><value>v</value></variable>
        <variable name="SECRET" secure="true"><encryptedValue>AES:b3Bh:cXVl</encryptedValue></variable>
      </environmentvariables>
      <dependencies><depends pipeline="p" stage="s" /></dependencies>
      <materials>
        <git url="u" branch="b" username="n" password="" encryptedPassword="AES:b3Bh:cXVl" shallowClone="true" ${materialOf('a')}>${IGNORE}</git>
        <svn url="u" checkexternals="true" folder="f" ${LOGIN} ${materialOf('b')}>${IGNORE}</svn>
        <hg url="u" branch="b" folder="f" ${LOGIN} ${materialOf('c')}>${IGNORE}</hg>
        <p4 port="h:1" useTickets="false" ${LOGIN} ${materialOf('d')}><view>v</view>${IGNORE}</p4>
        <tfs url="u" projectPath="p" domain="d" workspace="w" workspaceOwner="o" ${LOGIN} ${materialOf('e')}>${IGNORE}</tfs>
        <package ref="package" />
        <scm ref="scm" dest="f" invertFilter="false">${IGNORE}</scm>
      </materials>
    </pipeline>
    <pipeline name="down">
      <materials>
        <pipeline pipelineName="up" stageName="first" materialName="m" ignoreForScheduling="false" serverAlias="far" />
      </materials>
      <stage name="only"><jobs><job name="j" /></jobs></stage>
    </pipeline>
  </pipelines>
  <templates>
    <pipeline name="t">
      <authorization allGroupAdminsAreViewers="true"><view>${GRANTS}</view><admins>${GRANTS}</admins></authorization>
      <stage name="first" fetchMaterials="true" cleanWorkingDir="false" artifactCleanupProhibited="true">
        <approval type="success" allowOnlyOnSuccess="true">
          <authorization>${GRANTS}</authorization>
          <auth>${GRANTS}</auth>
        </approval>
        <jobs>
          <job name="j" runOnAllAgents="false" timeout="5" elasticProfileId="served">
            <artifacts>
              <artifact src="s" dest="d" type="build" />
              <artifact id="x" storeId="store" type="external">${CONFIGURATION}${PROPERTY}</artifact>
              <test src="t" dest="d" />
              <log src="l" dest="d" />
              <pluggableArtifact id="y" storeId="store">${PROPERTY}</pluggableArtifact>
            </artifacts>
            <resources><resource>linux</resource></resources>
            <tabs><tab name="n" path="p" /></tabs>
            <properties><property name="n" src="s" xpath="x" /></properties>
          </job>
          <job name="k" runInstanceCount="2"><agentConfig pluginId="served">${PROPERTY}</agentConfig></job>
        </jobs>
      </stage>
      <stage name="second">
        <jobs>
          <job name="j">
            <tasks>
              <exec command="c" workingdir="w" timeout="5"><arg value="a" /><arg>b</arg><runif status="any" /><oncancel><exec command="d" args="e" /></oncancel></exec>
              <ant ${BUILD} />
              <nant ${BUILD} nantpath="n" />
              <rake ${BUILD} />
              <fetchartifact pipeline="" stage="first" job="j" srcfile="s" dest="d" ${BUILD} serverAlias="far" />
              <fetchartifact stage="first" job="j" srcdir="s" artifactOrigin="gocd" />
              <fetchartifact stage="first" job="j" artifactId="x" origin="external" artifactOrigin="external">${CONFIGURATION}</fetchartifact>
              <fetchPluggableArtifact pipeline="" stage="first" job="j" artifactId="x" ${BUILD}>${CONFIGURATION}</fetchPluggableArtifact>
              <task description="d" name="n">${PLUGIN}${CONFIGURATION}</task>
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
  </templates>
  <environments>
    <environment name="e">
      <environmentvariables><variable name="E"><value>v</value></variable></environmentvariables>
      <agents><physical uuid="u" /></agents>
      <pipelines><pipeline name="down" /></pipelines>
    </environment>
  </environments>
  <vmms><vm /></vmms>
  <agents>
    <agent hostname="h" ipaddress="10.0.0.1" uuid="u" isDisabled="false" isDenied="false" elasticAgentId="e" elasticPluginId="p">
      <resources><resource>profile:served</resource></resources>
    </agent>
  </agents>
</cruise>
`
