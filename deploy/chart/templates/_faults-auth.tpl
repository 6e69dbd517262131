{{/* Values of auth that would let in nobody, everybody, or others than those who are meant. */}}

{{- define "svc.faults.auth" -}}
{{- $v := .Values -}}
{{- $source := include "svc.tenantsSource" . -}}
{{- if and $v.auth.tenants (ne $source "kubernetes") }}
auth.tenantsSource is {{ $source }}, and auth.tenants has entries, which controllers would not read. Leave one of them out.
{{- end }}
{{- if and $v.controller.enabled $v.auth.enabled (eq $source "provider") }}
{{- if not $v.auth.jwksEndpoint }}
auth.jwksEndpoint is empty. Give the URL of the identity provider's key set, or list auth.tenants.
{{- end }}
{{- if and (hasPrefix "http:" $v.auth.jwksEndpoint) (not $v.auth.allowHttp) (not (regexMatch "^http://(localhost|127(\\.[0-9]+){3}|\\[::1\\])(:|/|$)" $v.auth.jwksEndpoint)) }}
auth.jwksEndpoint is plain http: whoever is between could put in keys of his own. Give its https URL, or set auth.allowHttp.
{{- end }}
{{- if not $v.auth.issuer }}
auth.issuer is empty. Give the issuer that tokens name, or list auth.tenants.
{{- end }}
{{- end }}
{{- if and $v.auth.enabled (eq $source "file") (eq (empty $v.auth.tenantsFile.existingSecret) (empty $v.auth.tenantsFile.existingConfigMap)) }}
auth.tenantsSource is file. Set one of auth.tenantsFile.existingSecret and auth.tenantsFile.existingConfigMap.
{{- end }}
{{- include "svc.faults.unread" . }}
{{- include "svc.faults.flip" . }}
{{- include "svc.faults.fleet" . }}
{{- $ids := dict }}
{{- $names := dict }}
{{- range $at, $tenant := $v.auth.tenants }}
{{- include "svc.faults.provider" (list $v.auth $at $tenant) }}
{{- with $tenant.rbac }}
{{- if and .defaultRole .allowedRoles }}
{{- if not (has .defaultRole .allowedRoles) }}
auth.tenants[{{ $at }}].rbac.defaultRole {{ .defaultRole }} is not among its allowedRoles.
{{- end }}
{{- end }}
{{- end }}
{{- $name := include "svc.tenantName" $tenant }}
{{- if hasKey $ids $tenant.tenantId }}
auth.tenants[{{ $at }}].tenantId {{ $tenant.tenantId | quote }} is also that of auth.tenants[{{ get $ids $tenant.tenantId }}]. Give each tenant one entry.
{{- else if hasKey $names $name }}
auth.tenants[{{ $at }}] and auth.tenants[{{ get $names $name }}] would both be the SvcTenant {{ $name | quote }}. Give one of them another name.
{{- end }}
{{- $_ := set $ids $tenant.tenantId $at }}
{{- $_ := set $names $name $at }}
{{- end }}
{{- end }}

{{/* A tenant's provider, its own or that of all: what the definition of SvcTenant would refuse once the migration is done. */}}
{{- define "svc.faults.provider" -}}
{{- $auth := index . 0 -}}
{{- $path := printf "auth.tenants[%d]" (index . 1) -}}
{{- $id := (last .).tenantId | quote -}}
{{- $oidc := (last .).oidc | default dict -}}
{{- if ne (empty $oidc.issuer) (empty $oidc.jwksEndpoint) }}
{{- $given := ternary "jwksEndpoint" "issuer" (empty $oidc.issuer) }}
{{ $path }}.oidc.{{ $given }} is set without its {{ ternary "issuer" "jwksEndpoint" (empty $oidc.issuer) }}, and that of auth is another provider's. Give both of tenant {{ $id }}, or none.
{{- else if empty $oidc.issuer }}
{{- if not $auth.issuer }}
{{ $path }}.oidc.issuer is empty, and so is auth.issuer. Give the issuer of tenant {{ $id }}.
{{- end }}
{{- if not $auth.jwksEndpoint }}
{{ $path }}.oidc.jwksEndpoint is empty, and so is auth.jwksEndpoint. Give the key set of tenant {{ $id }}.
{{- else if not (regexMatch "^(https:|http://(localhost|127(\\.[0-9]+){3}|\\[::1\\])(:[0-9]*)?([/?]|$))" $auth.jwksEndpoint) }}
auth.jwksEndpoint is plain http, and the key set of {{ $path }} {{ $id }}, too: a SvcTenant takes none of another host, whatever auth.allowHttp says. Give its https URL.
{{- end }}
{{- end }}
{{- $claim := $oidc.tenantClaim | default $auth.tenantClaim }}
{{- if eq $claim ($oidc.rolesClaim | default $auth.rolesClaim) }}
{{ $path }} {{ $id }} has {{ $claim | quote }} as tenantClaim and as rolesClaim, its own or those of auth. One is a text and the other a list: give each its own.
{{- end }}
{{- end }}

{{/* A file of tenants names the provider of each. What is set here would be looked at by nobody: no audience, say. */}}
{{- define "svc.faults.unread" -}}
{{- if and .Values.controller.enabled .Values.auth.enabled (eq (include "svc.tenantsSource" .) "file") }}
{{- range include "svc.provider.given" . | fromJsonArray }}
auth.{{ . }} is set, and auth.tenantsSource is file, where each tenant names its own. Leave it out here, and write it there.
{{- end }}
{{- end }}
{{- end }}

{{/* Which values of the one provider are set, as JSON. */}}
{{- define "svc.provider.given" -}}
{{- $auth := .Values.auth -}}
{{- $given := list -}}
{{- range $name, $default := dict "jwksEndpoint" "" "issuer" "" "audience" "" "tenantClaim" "tid" "rolesClaim" "svc_roles" -}}
{{- if not (has (get $auth $name) (list "" $default)) }}{{ $given = append $given $name }}{{ end -}}
{{- end -}}
{{- toJson $given -}}
{{- end }}

{{/*
Without tenants the source would become the provider by itself, and let in whomever its tokens name: not for a release
that has let in only some until now, and perhaps lost its list by mistake. Where no cluster is asked nothing is found.
*/}}
{{- define "svc.faults.flip" -}}
{{- $auth := .Values.auth -}}
{{- $decided := or $auth.tenants $auth.tenantsSource (not $auth.enabled) (not .Values.controller.enabled) -}}
{{- if and .Release.IsUpgrade (not $decided) (.Capabilities.APIVersions.Has "svc.dev/v1") }}
{{- $own := list }}
{{- range (lookup "svc.dev/v1" "SvcTenant" .Release.Namespace "").items }}
{{- if eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name }}{{ $own = append $own .metadata.name }}{{ end }}
{{- end }}
{{- with $own }}
auth.tenants is empty, and this release has the SvcTenants {{ join ", " . }}: any tenant that the provider's tokens name would be let in from now on. Set auth.tenantsSource to provider if that is meant, or to kubernetes if tenants are written by other means, or list auth.tenants.
{{- end }}
{{- end }}
{{- end }}

{{/* Controllers let in listed tenants only, and nodes call them as the fleet tenant. */}}
{{- define "svc.faults.fleet" -}}
{{- $auth := .Values.auth -}}
{{- if and $auth.tenants $auth.fleetTenant }}
{{- $ids := list }}
{{- range $at, $tenant := $auth.tenants }}
{{- $ids = append $ids $tenant.tenantId }}
{{- if eq $tenant.tenantId $auth.fleetTenant }}
{{- if and (kindIs "bool" $tenant.enabled) (not $tenant.enabled) }}
auth.tenants[{{ $at }}] is auth.fleetTenant {{ $auth.fleetTenant | quote }} and has enabled: false, so that no node would be let in. Leave enabled out there.
{{- end }}
{{- with ($tenant.rbac | default dict).allowedRoles }}
{{- if not (has "svc:admin" .) }}
auth.tenants[{{ $at }}].rbac.allowedRoles lacks svc:admin, which nodes of auth.fleetTenant {{ $auth.fleetTenant | quote }} need. Add it.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if not (has $auth.fleetTenant $ids) }}
auth.fleetTenant {{ $auth.fleetTenant | quote }} is not among auth.tenants ({{ join ", " $ids }}), so that no node would be let in. Add it there: - tenantId: {{ $auth.fleetTenant | quote }}.
{{- end }}
{{- end }}
{{- end }}
